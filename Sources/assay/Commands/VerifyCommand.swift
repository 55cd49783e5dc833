import ArgumentParser
import AssayClient
import AssayCore
import Crypto

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Ask for a verdict over evidence.",
        discussion: """
            Evidence is one file, '-' for standard input. Of an iPhone: --attestation or --assertion, raw CBOR or Base64 text, or \
            --device-check. Of an Android device: --key-attestation, PEM or DER, --key-signature, raw or Base64 text, or \
            --play-token, the text of a token; a key attestation and a token may be given together. Without a challenge: of a camera \
            --bundle, JSON; of an Android device --offline-signature, with --captured-at and --payload. What a plugin judges stands \
            beside it: --plugin-evidence scene-depth=map.gz, byte for byte; alone, and without a challenge if its plugin needs none.

            Bytes are given as \(ByteText.forms); the prefix hex: or base64: selects the form.

            An accepted verdict can be had signed for others, too: --result with --audience (\(Documentation.page("reference/results.md"))).

            Exit status 0 if accepted, 1 if rejected, 69 if accepted and a result was not signed.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The app, as the daemon's configuration names it.")
    var app: AppID

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What 'assay challenge' printed. Not with --client-data-hash, --bundle or --offline-signature.", valueName: "bytes")
    )
    var challenge: BytesArgument?

    @Option(help: "The context that the challenge was asked with.")
    var context: String = ""

    @OptionGroup(title: "Evidence") var evidence: EvidenceOptions

    @Option(help: ArgumentHelp("The payload that the device bound.", valueName: "file"))
    var payload: FileArgument?

    @Option(help: ArgumentHelp("A finished upload of the payload, in place of it.", valueName: "upload"))
    var upload: UploadID?

    @Option(
        help: ArgumentHelp(
            "The signals about the capture, as JSON. They are the payload that the device bound.", valueName: "file"))
    var signals: FileArgument?

    @Option(help: ArgumentHelp("The app's own client data, with the challenge inside.", valueName: "file"))
    var clientData: FileArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("A clientDataHash whose freshness you guarantee.", valueName: "bytes"))
    var clientDataHash: BytesArgument?

    @Option(help: "The account or user that the device belongs to.")
    var subject: String = ""

    @Option(help: ArgumentHelp("Refuse evidence of any other device.", valueName: "dev_…"))
    var expectedDevice: DeviceID?

    @Option(
        help: ArgumentHelp(
            "Retire this device, whose key is lost, with the registration of another one.", valueName: "dev_…"))
    var replaces: DeviceID?

    @Option(help: "Ask again under the same key and get the same verdict.")
    var idempotencyKey: String = ""

    @Option(help: ArgumentHelp("The IP address of your own client, by which requests are counted.", valueName: "address"))
    var sourceAddress: SourceAddress?

    @Flag(help: "Have everything judged that can be judged, and each failure listed, not the first alone.")
    var allFailures = false

    @OptionGroup(title: "Results") var results: ResultOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard [payload != nil, upload != nil, clientData != nil, clientDataHash != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give at most one of --payload, --upload, --client-data and --client-data-hash.")
        }
        guard signals == nil || (payload == nil && upload == nil) else {
            throw ValidationError("Give --signals without --payload and --upload: the device binds the signals.")
        }
        guard replaces == nil || evidence.purpose == .register else {
            throw ValidationError("Give --replaces with evidence that registers a device.")
        }
        guard evidence.offlineSignature == nil else {
            guard challenge == nil, clientData == nil, clientDataHash == nil, payload != nil || signals != nil else {
                throw ValidationError(
                    "Give --offline-signature with the payload that the device bound, without a challenge and client data.")
            }
            return
        }
        guard evidence.bundle == nil else {
            guard challenge == nil, payload == nil, upload == nil, clientData == nil, clientDataHash == nil else {
                throw ValidationError(
                    "Give --bundle without a challenge, a payload or client data: the camera signed without them.")
            }
            return
        }
        guard challenge == nil || clientDataHash == nil else {
            throw ValidationError("Give either --challenge or --client-data-hash.")
        }
        guard challenge == nil, clientDataHash == nil else { return }
        guard !evidence.isChallenged else {
            throw ValidationError(
                "Give --challenge or --client-data-hash: only --bundle, --offline-signature and evidence of plugins may come without one."
            )
        }
        guard payload == nil, upload == nil, signals == nil, clientData == nil else {
            throw ValidationError(
                "Give --challenge with --payload, --upload, --signals or --client-data: without it evidence of plugins is bound to none of them."
            )
        }
    }

    func run() async throws {
        let signals = try signals?.read(atMost: SignalDocument.sizeLimit) ?? []
        let payloadHash =
            signals.isEmpty
            ? try payload.map { Array(SHA256.hash(data: try $0.read(atMost: .max))) } : Array(SHA256.hash(data: signals))
        var request = VerificationRequest(
            app: app, purpose: evidence.purpose, challenge: challenge?.bytes(wanting: Challenge.length) ?? [],
            context: Array(context.utf8),
            evidence: try evidence.read(payloadHash: payloadHash), binding: try binding(payloadHash),
            subject: Array(subject.utf8),
            expectedDevice: expectedDevice, idempotencyKey: Array(idempotencyKey.utf8), sourceAddress: sourceAddress,
            signals: signals, replaces: replaces, results: results.requests, report: allFailures ? .all : .first)
        request.upload = upload
        let verdict = try await server.with { [request] client throws(AssayError) in
            try await client.verify(request, timeout: server.limit)
        }
        let text = VerdictText(verdict: verdict)
        if json { Console.print(json: text.json) } else { text.lines.forEach(Console.print) }
        guard text.isAccepted else { throw ExitCode(1) }
        let tokens = text.results.map(\.token)
        if let path = results.resultFile, let token = tokens.first ?? nil { try OutputFile.write(token, to: path, mode: 0o600) }
        guard tokens.allSatisfy({ $0 != nil }) else { throw ExitCode(AssayError.unavailableStatus) }
    }

    private func binding(_ payloadHash: [UInt8]?) throws -> VerificationRequest.BindingRequest {
        // Statements, and evidence of plugins, of which only the daemon knows whether it needs a challenge.
        if challenge == nil, clientDataHash == nil { return .inEvidence }
        if let clientData { return .embedded(try clientData.read()) }
        if let clientDataHash { return .callerOwned(clientDataHash.bytes) }
        return .clientData(payloadHash: payloadHash)
    }
}
