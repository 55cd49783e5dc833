import AndroidKeyAttestation
import AssayCertificates
import AssayCore
import AssayResults
import AssayService
import AssaySimulator
import KeySignature
import Synchronization
import Testing

/// What is on the list of revoked certificates, for a test to change.
final class RevocationBoard: RevocationSource {
    private let known = Mutex<(knowledge: RevocationKnowledge, questions: Int)>((.notConsulted, 0))

    /// How often it was asked.
    var questions: Int { known.withLock { $0.questions } }

    func knowledge(at now: Timestamp) -> RevocationKnowledge {
        known.withLock { known in
            known.questions += 1
            return known.knowledge
        }
    }
    func set(_ knowledge: RevocationKnowledge) { known.withLock { $0.knowledge = knowledge } }

    func revoke(_ serials: [[UInt8]], _ status: RevocationSnapshot.Status = .revoked) {
        let feed = FeedVersion(name: "test-list", id: "1", asOf: ServiceHarness.opening)
        let entries = Dictionary(
            serials.map { ($0, RevocationSnapshot.Entry(status)) }, uniquingKeysWith: { first, _ in first })
        set(.snapshot(RevocationSnapshot(feed: feed, entries: entries)))
    }
}

extension AndroidPolicy {
    static let signer = [UInt8](repeating: 0x19, count: 32)

    static var testing: AndroidPolicy {
        AndroidPolicy(apps: [AndroidApp(packageName: "com.example.camera", signers: [signer])])
    }
}

extension ServiceHarness {
    /// A daemon whose app `camera` takes Android devices of the tests' authority.
    ///
    /// - Parameter others: verifiers of what the app takes besides.
    static func android(
        _ policy: AndroidPolicy = .testing, board: RevocationBoard = RevocationBoard(), binding: BindingRule = BindingRule(),
        beside others: [any EvidenceVerifier] = [], ledger: WatchedLedger = WatchedLedger(), acceptsSimulated: Bool = true,
        confidence: ConfidenceRule? = nil, issuing: IssuingRule? = nil
    ) async throws -> ServiceHarness {
        let profile = try AppProfile.android(
            policy, board: board, binding: binding, beside: others, acceptsSimulated: acceptsSimulated,
            confidence: confidence, issuing: issuing)
        return try await ServiceHarness([profile], ledger: ledger)
    }
}

extension AppProfile {
    /// The app `camera` with Android devices of the tests' authority.
    static func android(
        _ policy: AndroidPolicy = .testing, board: RevocationBoard, binding: BindingRule = BindingRule(),
        beside others: [any EvidenceVerifier] = [], acceptsSimulated: Bool = true, confidence: ConfidenceRule? = nil,
        issuing: IssuingRule? = nil, policyDigest: [UInt8] = [UInt8](repeating: 0xD1, count: 32),
        results: ResultComposer? = nil
    ) throws -> AppProfile {
        let anchors = try AndroidAuthority.Root.allCases.map {
            try TrustAnchor(name: $0.rawValue, pem: try VirtualAndroid.authority.pem($0), simulated: true)
        }
        let appraiser = AndroidDeviceAppraiser(anchors: anchors, policy: policy)
        return AppProfile(
            id: .camera,
            verifiers: [
                KeyAttestationVerifier(anchors: anchors, policy: policy, links: LinkCache()),
                KeySignatureVerifier(judges: [appraiser]),
            ] + others, deviceAppraisers: [appraiser], revocation: board, binding: binding, policyDigest: policyDigest,
            acceptsSimulated: acceptsSimulated, confidence: confidence, issuing: issuing, results: results)
    }
}

extension VirtualAndroid {
    static let authority = AndroidAuthority(seed: "service tests")

    static func testing(
        _ level: Level = .trustedEnvironment, _ provisioning: Provisioning? = nil
    ) -> VirtualAndroid {
        VirtualAndroid(
            authority: authority,
            application: AttestedApplicationDraft("com.example.camera", signer: AndroidPolicy.signer), level: level,
            provisioning: provisioning)
    }
}

extension AndroidKey {
    func registration(_ challenge: [UInt8]) throws -> VerificationRequest {
        let data = try #require(ClientData(purpose: .register, challenge: challenge))
        return VerificationRequest(
            app: .camera, purpose: .register, challenge: challenge,
            evidence: [
                Evidence(
                    format: .keyAttestation, keyID: [],
                    body: Evidence.join(try attest(challenge: data.bytes, at: ServiceHarness.opening)))
            ])
    }

    /// - Parameter signals: the payload, if it is not empty.
    func upload(
        _ challenge: [UInt8], _ purpose: Purpose = .assert, signals: [UInt8] = []
    ) throws -> VerificationRequest {
        let data = try #require(
            ClientData(purpose: purpose, challenge: challenge, payload: signals.isEmpty ? [7] : signals))
        return VerificationRequest(
            app: .camera, purpose: purpose, challenge: challenge, evidence: [try signature(over: data.bytes)],
            binding: .clientData(payloadHash: data.payloadHash), signals: signals)
    }

    func signature(over message: [UInt8]) throws -> Evidence {
        Evidence(
            format: .keySignature, keyID: keyID, body: Evidence.join([[key.usualScheme.rawValue], try sign(message)]))
    }
}
