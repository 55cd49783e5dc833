import AssayCertificates
import AssayCore
import AssaySimulator

@testable import AndroidKeyAttestation

/// An attestation by a virtual device, with its expectation. By default it is valid.
struct SampleAttestation {
    static let package = "com.example.camera"
    static let signer = [UInt8](repeating: 0x19, count: 32)
    /// 2026-11-21T12:00:00Z: factory certificates have expired.
    static let time = Timestamp(unixSeconds: 1_795_262_400)
    static let clientData = Array("assay1".utf8) + (0..<87).map { UInt8($0) }

    static func authority(_ seed: String = "sample") -> AndroidAuthority { AndroidAuthority(seed: seed) }

    var level = VirtualAndroid.Level.trustedEnvironment
    var provisioning = VirtualAndroid.Provisioning.remote
    var root: AndroidAuthority.Root?
    var attestationKey: TestKey?
    var kind = TestKey.Kind.p256
    /// Changes to the device's statements.
    var edit: @Sendable (inout VirtualAndroid) -> Void = { _ in }
    var changes = KeyAttestationChanges.genuine
    var challenge = SampleAttestation.clientData
    /// Changes to the chain by an attacker who has the attested key.
    var afterwards: @Sendable (AndroidKey, AndroidKey, [[UInt8]]) throws -> [[UInt8]] = { $2 }

    var anchors: [AndroidAuthority.Root] = AndroidAuthority.Root.allCases
    var policy = AndroidPolicy(
        apps: [AndroidApp(packageName: SampleAttestation.package, signers: [SampleAttestation.signer], minimumVersion: 5)])
    var revocation = RevocationKnowledge.notConsulted
    var keyUse: AttestationKeyUse?
    var keyID: [UInt8]?
    var expected = SampleAttestation.clientData
    /// The time of the appraisal; the attestation is made at `time`.
    var now = SampleAttestation.time

    func device() throws -> VirtualAndroid {
        var device = VirtualAndroid(
            authority: Self.authority(),
            application: AttestedApplicationDraft(Self.package, version: 7, signer: Self.signer), level: level,
            provisioning: provisioning, root: root, attestationKey: attestationKey, seed: "sample device")
        edit(&device)
        return device
    }

    func chain() throws -> (key: AndroidKey, certificates: [[UInt8]]) {
        var device = try device()
        let key = try device.makeKey(kind)
        let chain = try key.attest(challenge: challenge, at: Self.time, changes: changes)
        return (key, try afterwards(key, try device.makeKey(), chain))
    }

    /// Made once: an RSA root takes a while.
    private static let allAnchors = Result {
        try AndroidAuthority.Root.allCases.map {
            try TrustAnchor(name: $0.rawValue, pem: try authority().pem($0), simulated: true)
        }
    }

    func trusted() throws -> [TrustAnchor] {
        let names = anchors.map(\.rawValue)
        return try Self.allAnchors.get().filter { names.contains($0.name) }
    }

    func verifier() throws -> KeyAttestationVerifier {
        KeyAttestationVerifier(anchors: try trusted(), policy: policy, links: LinkCache())
    }

    func appraise() throws -> Appraisal { appraise(try chain().certificates, by: try verifier()) }

    /// Of certificates that were made before.
    func appraise(_ certificates: [[UInt8]], by verifier: KeyAttestationVerifier) -> Appraisal {
        verifier.appraise(
            Evidence(format: .keyAttestation, keyID: keyID ?? [], body: Evidence.join(certificates)),
            in: AppraisalContext(
                binding: Binding(embedded: expected), facts: Facts(attestationKeyUse: keyUse, revocation: revocation), now: now)
        )
    }

    /// A list with one certificate of the chain, by its index.
    mutating func revoke(_ serial: [UInt8], _ status: RevocationSnapshot.Status = .revoked) {
        revocation = .snapshot(
            RevocationSnapshot(
                feed: FeedVersion(name: "test", id: "0", asOf: Self.time), entries: [serial: .init(status)]))
    }
}

/// One deviation, and the expected outcome.
struct SampleCase: Sendable, CustomStringConvertible {
    let description: String
    /// `accepted`, or the reason code.
    let outcome: String
    /// A note that must be among the findings.
    let note: String?
    let change: @Sendable (inout SampleAttestation) throws -> Void

    init(
        _ description: String, _ outcome: String, note: String? = nil,
        _ change: @escaping @Sendable (inout SampleAttestation) throws -> Void = { _ in }
    ) {
        self.description = description
        self.outcome = outcome
        self.note = note
        self.change = change
    }

    func appraise() throws -> Appraisal {
        var attestation = SampleAttestation()
        try change(&attestation)
        return try attestation.appraise()
    }
}

extension Appraisal {
    var outcome: String { failure?.code ?? "accepted" }
}
