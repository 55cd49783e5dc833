import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCore
import AssaySimulator
import DeviceCheck
import PlayIntegrity
import Synchronization
import Testing

@testable import AssayService

/// Facts that were stored and are judged again: an audit of an earlier verdict, or a test of a new policy.
@Suite("Stored facts judged again")
struct StoredFactsTests {
    private let recorder = Recorder()

    /// The apps of the harness with verifiers that record what they are given.
    private func recording(_ profile: AppProfile) -> AppProfile {
        AppProfile(
            id: profile.id, verifiers: profile.verifiers.values.map { Recorded(verifier: $0, recorder: recorder) },
            answerSources: profile.answerSources, revocation: profile.revocation, binding: profile.binding, policyDigest: [1],
            acceptsSimulated: true)
    }

    /// Stores the facts of each appraisal, reads them back, and appraises again.
    private func judgeAgain(_ accepted: [Bool], _ change: (Facts) -> Facts = { $0 }) throws {
        let appraisals = recorder.appraisals
        #expect(appraisals.count == accepted.count)
        for (recorded, accepted) in zip(appraisals, accepted) {
            let facts = change(recorded.context.facts)
            let stored = try #require(Facts(decoding: facts.encoded()))
            #expect(stored == facts)
            let again = AppraisalContext(
                binding: recorded.context.binding, facts: stored, attestedKey: recorded.context.attestedKey,
                now: recorded.context.now)
            let first = recorded.verifier.appraise(recorded.evidence, in: recorded.context)
            let second = recorded.verifier.appraise(recorded.evidence, in: again)
            #expect(Outcome(first) == Outcome(second))
            if case .accept = Decision([second]) { #expect(accepted) } else { #expect(!accepted) }
        }
    }

    @Test("An App Attest registration and an assertion are appraised equally from stored facts")
    func appAttest() async throws {
        let harness = try await ServiceHarness([recording(try .testing(.camera))], replaying: false)
        var (handset, _) = try await harness.enrol(subject: [1, 2])
        #expect(try await harness.assert(&handset).isAccepted)
        let changed = try await harness.assert(&handset, changes: .genuine.counter(1))
        #expect(!changed.isAccepted)
        #expect(recorder.appraisals.map { $0.context.facts.device == nil } == [true, false, false])
        try judgeAgain([true, true, false])
    }

    @Test("An Android registration and a signature are appraised equally from stored facts", arguments: [false, true])
    func android(isRevoked: Bool) async throws {
        let board = RevocationBoard()
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        let harness = try await ServiceHarness(
            [
                recording(try #require(try await ServiceHarness.android(board: board).apps[.camera]))
            ], replaying: false)
        board.revoke([[0x77], [0x78]])
        #expect(try await harness.verify(try key.registration(try await harness.challenge(.register))).isAccepted)
        let attested = try #require(recorder.appraisals.first)
        let registration = Outcome(attested.verifier.appraise(attested.evidence, in: attested.context)).registration
        let serials = try #require(registration).chainSerials
        if isRevoked { board.revoke(serials + [[0x77]]) }
        let upload = try await harness.verify(try key.upload(try await harness.challenge(.assert)))
        #expect(upload.isAccepted != isRevoked)
        #expect(recorder.appraisals.map(\.context.facts.attestationKeyUse) == [AttestationKeyUse(lastDay: 0), nil])
        try judgeAgain([true, !isRevoked])
        // The entries for the chain's serial numbers are enough.
        try judgeAgain([true, !isRevoked]) { facts in
            let kept = facts.keepingEntries(for: serials)
            if !isRevoked, case .snapshot(let list) = kept.revocation { #expect(list.count == 0) }
            return kept
        }
    }

    @Test("A Play Integrity token is appraised equally from a stored answer of Google's service")
    func playIntegrity() async throws {
        let (console, package, signer) = (PlayConsole(seed: "stored"), "com.example.shop", [UInt8](repeating: 0xAB, count: 32))
        let verifier = PlayIntegrityVerifier(
            identity: PlayIntegrityIdentity(packages: [package], signers: [signer]), keys: [], decoding: .google,
            policy: PlayIntegrityPolicy())
        let source = Source()
        let harness = try await ServiceHarness(
            [
                recording(
                    AppProfile(
                        id: .camera, verifiers: [verifier], answerSources: [.playIntegrity: source], policyDigest: [1]))
            ], replaying: false)
        func verify(_ answer: (JSONDraft) -> OutsideAnswer) async throws -> Bool? {
            let challenge = try await harness.challenge(.assert)
            let data = try #require(ClientData(purpose: .assert, challenge: challenge))
            let payload = JSONDraft.playPayload(
                package: package, signer: signer, requestHash: data.hash, at: ServiceHarness.opening)
            source.answer = answer(payload)
            let token = Evidence(format: .playIntegrity, keyID: [], body: Array(try console.token(payload).utf8))
            let request = VerificationRequest(app: .camera, purpose: .assert, challenge: challenge, evidence: [token])
            return try? await harness.verify(request).isAccepted
        }
        #expect(try await verify { .answered(PlayConsole.decoded($0)) } == true)
        #expect(try await verify { _ in .refused(Rejection(.vendorRefused, "another package")) } == false)
        #expect(try await verify { _ in .unavailable("no answer") } == nil)
        #expect(try await verify { _ in .stated(Claims([.init(name: "bits_set", value: .boolean(false))])) } == nil)
        try judgeAgain([true, false, false, false])
    }

    @Test("A DeviceCheck token is appraised equally from Apple's stored statements")
    func deviceCheck() async throws {
        let source = Source()
        source.answer = .stated(
            Claims([
                .init(name: "bits_set", value: .boolean(true)), .init(name: "bit0", value: .boolean(true)),
                .init(name: "bit1", value: .boolean(false)), .init(name: "bits_last_set", value: .text("2024-05")),
            ]))
        let harness = try await ServiceHarness(
            [
                recording(
                    AppProfile(
                        id: .camera, verifiers: [DeviceCheckVerifier(policy: DeviceCheckPolicy())],
                        answerSources: [.deviceCheck: source], policyDigest: [1]))
            ], replaying: false)
        let verdict = try await harness.verify(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: try await harness.challenge(.assert),
                evidence: [Evidence(format: .deviceCheck, keyID: [], body: [1, 2, 3])]))
        #expect(verdict.isAccepted && verdict.claims.map(\.name) == ["bits_set", "bit0", "bit1", "bits_last_set"])
        try judgeAgain([true])
    }
}

/// What an appraisal comes to.
private struct Outcome: Equatable {
    let decision: Decision
    let findings: [Finding]
    let claims: Claims
    let feeds: [FeedVersion]
    let simulated: Bool
    let registration: Registration?

    init(_ appraisal: Appraisal) {
        decision = Decision([appraisal])
        findings = appraisal.findings
        claims = appraisal.claims
        feeds = appraisal.feeds
        simulated = appraisal.simulated
        registration = if case .register(let registration) = appraisal.effect { registration } else { nil }
    }
}

/// Appraisals in the order in which they were made.
private final class Recorder: Sendable {
    typealias Recording = (verifier: any EvidenceVerifier, evidence: BoundedEvidence, context: AppraisalContext)
    private let state = Mutex<[Recording]>([])
    var appraisals: [Recording] { state.withLock { $0 } }
    func add(_ recording: Recording) { state.withLock { $0.append(recording) } }
}

/// A verifier whose appraisals are recorded.
private struct Recorded: EvidenceVerifier {
    let verifier: any EvidenceVerifier
    let recorder: Recorder

    var format: EvidenceFormat { verifier.format }
    var purposes: Set<Purpose> { verifier.purposes }
    var sizeLimit: Int { verifier.sizeLimit }
    var replayProtection: ReplayProtection { verifier.replayProtection }
    var relation: EvidenceRelation { verifier.relation }

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { try verifier.locate(evidence) }
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        recorder.add((verifier, evidence, context))
        try verifier.appraise(evidence, in: context, &appraisal)
    }
}

/// Gives the answer that the test sets.
private final class Source: AnswerSource {
    private let state = Mutex<OutsideAnswer>(.unavailable("not set"))
    var answer: OutsideAnswer {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer { answer }
}
