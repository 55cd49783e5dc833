import ArgumentParser
import AssayConfiguration
import AssayCore

/// The evidence that a device sent: one piece, or several that belong together.
struct EvidenceOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The platform's key id, 32 bytes, of --attestation, --assertion, --key-signature or --offline-signature.",
            valueName: "bytes"))
    var keyID: BytesArgument?

    @Option(help: ArgumentHelp("An App Attest attestation: registers the device.", valueName: "file"))
    var attestation: FileArgument?

    @Option(help: ArgumentHelp("An App Attest assertion of a registered device.", valueName: "file"))
    var assertion: FileArgument?

    @Option(help: ArgumentHelp("An Android key attestation, leaf first: registers the device.", valueName: "file"))
    var keyAttestation: FileArgument?

    @Option(help: ArgumentHelp("A signature by a registered key.", valueName: "file"))
    var keySignature: FileArgument?

    @Option(
        help: ArgumentHelp("The registered key's algorithm. Default: ecdsa-p256-sha256.", valueName: "algorithm")
    )
    var algorithm: KeySignatureAlgorithm?

    @Option(help: ArgumentHelp("A Play Integrity token, which identifies no device.", valueName: "file"))
    var playToken: FileArgument?

    @Option(help: ArgumentHelp("A DeviceCheck token, which is bound to nothing.", valueName: "file"))
    var deviceCheck: FileArgument?

    @Option(
        help: ArgumentHelp(
            "A certificate bundle, the JSON that a camera sent. It needs no challenge, and is alone.", valueName: "file"))
    var bundle: FileArgument?

    @Option(
        help: ArgumentHelp(
            "A registered key's signature over a capture, made without a challenge, with --captured-at and --payload. Beside it stands --plugin-evidence alone.",
            valueName: "file"))
    var offlineSignature: FileArgument?

    @Option(
        help: ArgumentHelp(
            "When the capture of --offline-signature was made, by the device's clock, in milliseconds since 1970.",
            valueName: "ms"))
    var capturedAt: Int64?

    @Option(
        help: ArgumentHelp(
            "Evidence of a plugin's format, such as a part of the payload beside the device's evidence. Repeatable.",
            valueName: "format=file"))
    var pluginEvidence: [PluginEvidenceArgument] = []

    private var keyed: [FileArgument?] { [attestation, assertion, keySignature, offlineSignature] }
    /// Whether a piece needs a challenge, or a hash that the caller answers for. Of evidence of plugins only the daemon knows.
    var isChallenged: Bool {
        [attestation, assertion, keyAttestation, keySignature, playToken, deviceCheck].contains { $0 != nil }
    }

    func validate() throws {
        let isGiven = (keyed + [keyAttestation, playToken, deviceCheck, bundle]).contains { $0 != nil }
        guard isGiven || !pluginEvidence.isEmpty else {
            throw ValidationError(
                "Give evidence: --attestation, --assertion, --key-attestation, --key-signature, --play-token, --device-check, "
                    + "--bundle, --offline-signature or --plugin-evidence."
            )
        }
        guard bundle == nil || (!isChallenged && offlineSignature == nil && pluginEvidence.isEmpty) else {
            throw ValidationError("Give --bundle without other evidence.")
        }
        guard offlineSignature == nil || !isChallenged else {
            throw ValidationError("Give --offline-signature without other evidence than --plugin-evidence.")
        }
        guard (offlineSignature == nil) == (capturedAt == nil) else {
            throw ValidationError("Give --captured-at with --offline-signature, and only there.")
        }
        guard keyed.count(where: { $0 != nil }) <= 1 else {
            throw ValidationError(
                "Give at most one of --attestation, --assertion, --key-signature and --offline-signature: each names a key.")
        }
        guard (keyID != nil) == keyed.contains(where: { $0 != nil }) else {
            throw ValidationError(
                "Give --key-id with --attestation, --assertion, --key-signature or --offline-signature, and only there.")
        }
    }

    /// The purpose of the evidence: to register a device, or to assert one.
    var purpose: Purpose { attestation == nil && keyAttestation == nil ? .assert : .register }

    /// - Parameter payloadHash: SHA-256 of the payload that the device bound, for a capture that was signed offline.
    func read(payloadHash: [UInt8]?) throws -> [Evidence] {
        let keyID = keyID?.bytes(wanting: 32) ?? []
        let ofPlugins = try pluginEvidence.map {
            Evidence(format: $0.format, keyID: [], body: try $0.file.read(atMost: FileArgument.sizeLimit))
        }
        if let offlineSignature, let capturedAt {
            let capture = OfflineCapture(
                capturedAt: Timestamp(unixMilliseconds: capturedAt), payloadHash: payloadHash ?? [])
            let signature = EvidenceFile.bytes(of: try offlineSignature.read(atMost: FileArgument.sizeLimit))
            return [
                capture.evidence(
                    keyID: keyID, algorithm: (algorithm ?? .ecdsaP256SHA256).rawValue, signature: signature)
            ] + ofPlugins
        }
        let given: [(file: FileArgument?, format: EvidenceFormat, keyID: [UInt8])] = [
            (attestation, .appAttestAttestation, keyID), (assertion, .appAttestAssertion, keyID),
            (keyAttestation, .keyAttestation, []), (keySignature, .keySignature, keyID), (playToken, .playIntegrity, []),
            (deviceCheck, .deviceCheck, []), (bundle, .certificateBundle, []),
        ]
        let builtIn = try given.compactMap { given -> Evidence? in
            guard let file = given.file else { return nil }
            let limit = given.format == .certificateBundle ? CertificateBundle.jsonLimit : FileArgument.sizeLimit
            let content = try file.read(atMost: limit)
            do throws(Rejection) {
                return try EvidenceFile.evidence(given.format, content, keyID: given.keyID, algorithm: algorithm?.name)
            } catch {
                throw Console.unreadable("\(file.path): \(error.detail)")
            }
        }
        return builtIn + ofPlugins
    }
}
