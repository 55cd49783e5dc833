import AssayAPI
import AssayCore
import AssayService
import AssayTesting
import Synchronization
import Testing

/// Evidence of two kinds in one request, judged by verifiers that stand in for those of a platform.
@Suite("Evidence together")
struct TogetherTests {
    private static let key = AttestedKey(publicKeySHA256: [UInt8](repeating: 0xAB, count: 32), packages: ["app"], signers: [])

    private func harness(
        attesting: Attesting = Attesting(), leaning: Leaning = Leaning(), together: Set<EvidenceFormat> = []
    ) async throws -> ServiceHarness {
        try await ServiceHarness([
            AppProfile(
                id: .camera, verifiers: [attesting, leaning], answerSources: [.playIntegrity: Echo()],
                requiredTogether: together, policyDigest: [1])
        ])
    }

    private func request(_ harness: ServiceHarness, _ formats: [EvidenceFormat]) async throws -> VerificationRequest {
        VerificationRequest(
            app: .camera, purpose: .register, challenge: try await harness.challenge(.register),
            evidence: formats.map { format in
                Evidence(
                    format: format, keyID: [], body: format == .keyAttestation ? Evidence.join([[1]]) : Array("token".utf8))
            })
    }

    @Test("binds what leans to the key that is attested, and shows both", arguments: [false, true])
    func bound(leaningFirst: Bool) async throws {
        let leaning = Leaning()
        let harness = try await harness(leaning: leaning)
        let formats: [EvidenceFormat] = [.keyAttestation, .playIntegrity]
        let request = try await request(harness, leaningFirst ? formats.reversed() : formats)
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted && verdict.assurance == .hardware)
        let seen = try #require(leaning.contexts.first)
        let expected = ClientData(purpose: .register, challenge: request.challenge, payload: Self.key.publicKeySHA256)
        #expect(seen.attestedKey == Self.key && seen.binding.clientData == expected?.bytes)
        #expect(seen.facts.outsideAnswer == .answered(Array("token".utf8)))
        #expect(verdict.findings.map(\.check).contains("play-integrity.token/leaning"))
        #expect(verdict.claims.map(\.name).contains("key-attestation.chain/level"))
        #expect(verdict.feeds.map(\.feed) == ["list"])
    }

    @Test("passes over what leans when the key is not attested, for the reason that the key's evidence gives")
    func notAttested() async throws {
        let leaning = Leaning()
        let harness = try await harness(attesting: Attesting(failure: .untrustedRoot), leaning: leaning)
        let verdict = try await harness.verify(try await request(harness, [.playIntegrity, .keyAttestation]))
        #expect(verdict.rejection == .untrustedRoot && leaning.contexts.isEmpty)
        #expect(verdict.findings.contains { $0.check == "play-integrity.token/evidence" && $0.outcome == .skipped })
    }

    @Test("registers nothing where one of two that belong together is missing, or nothing attests a key")
    func missing() async throws {
        let strict = try await harness(together: [.keyAttestation, .playIntegrity])
        let alone = try await strict.verify(try await request(strict, [.keyAttestation]))
        #expect(alone.rejection == .evidenceMissing && alone.detail.contains("play-integrity.token"))
        #expect(try await strict.verify(try await request(strict, [.keyAttestation, .playIntegrity])).isAccepted)
        let lax = try await harness()
        let token = try await lax.verify(try await request(lax, [.playIntegrity]))
        #expect(token.rejection == .evidenceMissing)
        #expect(try await lax.ledger.status().devices == 0)
    }

    @Test("A request that asks a vendor does not delay others")
    func slowVendor() async throws {
        let gate = Gate()
        let harness = try await ServiceHarness([
            AppProfile(
                id: .camera, verifiers: [Attesting(), Leaning()], answerSources: [.playIntegrity: Echo(gate: gate)],
                policyDigest: [1]
            )
        ])
        let slow = try await request(harness, [.keyAttestation, .playIntegrity])
        let waiting = Task { try await harness.verify(slow) }
        await gate.waitForArrival()
        #expect(try await harness.verify(try await request(harness, [.keyAttestation])).isAccepted)
        gate.open()
        #expect(try await waiting.value.isAccepted)
    }
}

/// Attests `TogetherTests.key`, or fails.
private struct Attesting: EvidenceVerifier {
    let format = EvidenceFormat.keyAttestation
    let purposes: Set<Purpose> = [.register]
    let sizeLimit = 100
    let replayProtection = ReplayProtection.challenge()
    var failure: ReasonCode?

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .attestationKey([1]) }
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let key = AttestedKey(publicKeySHA256: [UInt8](repeating: 0xAB, count: 32), packages: ["app"], signers: [])
        if let failure { try appraisal.require("chain", false, else: failure, "") }
        try appraisal.require("use", context.facts.attestationKeyUse?.lastDay == 0, else: .attestationKeyOverused, "")
        appraisal.attestedKey = key
        appraisal.assurance = .hardware
        appraisal.claims.add("level", .text("tee"))
        appraisal.feeds = [FeedVersion(name: "list", id: "1", asOf: context.now)]
        appraisal.effect = .register(
            Registration(
                format: format, keyID: SecureRandom.bytes(32), publicKey: [], environment: "production", anchor: [],
                claims: Claims(), chainSerials: [], receipt: [], simulated: false))
    }
}

/// Leans on an attested key, and remembers what it was held against.
private final class Leaning: EvidenceVerifier {
    let format = EvidenceFormat.playIntegrity
    let purposes: Set<Purpose> = [.register, .assert]
    let sizeLimit = 100
    let replayProtection = ReplayProtection.challenge()
    let relation = EvidenceRelation.boundToAttestedKey
    private let seen = Mutex<[AppraisalContext]>([])
    var contexts: [AppraisalContext] { seen.withLock { $0 } }

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .outsideAnswer }
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        seen.withLock { $0.append(context) }
        try appraisal.require("leaning", context.facts.outsideAnswer != nil, else: .vendorRefused, "")
        appraisal.isSupplement = true
        appraisal.assurance = .platform
    }
}

/// A vendor that answers with the evidence itself, once its gate is open.
private struct Echo: AnswerSource {
    var gate: Gate?
    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer {
        await gate?.pass()
        return .answered(evidence.body)
    }
}

/// Holds callers until it is opened.
private final class Gate: Sendable {
    private let arrival = AsyncStream<Void>.makeStream()
    private let opening = AsyncStream<Void>.makeStream()

    func pass() async {
        arrival.continuation.yield()
        for await _ in opening.stream { break }
    }
    func waitForArrival() async { for await _ in arrival.stream { break } }
    func open() { opening.continuation.finish() }
}
