import AssayAPI
import AssayCore
import AssayMetrics
import Testing

@testable import AssayService

@Suite("Verdict counters")
struct VerdictCountersTests {
    private let profile: AppProfile

    init() throws { profile = try AppProfile.testing(.camera) }

    private func verdict(_ findings: [Finding], _ rejection: Rejection? = nil) -> Answer {
        .verdict(
            Verdict(
                decision: rejection.map { .rejected($0, check: "") } ?? .accepted(.hardware), findings: findings,
                claims: Claims(), device: nil, binding: nil, evidenceDigest: [], policyDigest: [], simulated: false,
                requestID: [], decidedAt: ServiceHarness.opening))
    }

    /// A request of an app with pieces of evidence of these formats.
    private func request(
        _ formats: EvidenceFormat..., to other: AppProfile? = nil
    ) -> AuthorizedRequest {
        let profile = other ?? profile
        return AuthorizedRequest(
            request: VerificationRequest(
                app: profile.id, purpose: .assert, challenge: [],
                evidence: formats.map { Evidence(format: $0, keyID: [], body: []) }),
            profile: profile, caller: .demo, now: ServiceHarness.opening, requestID: [])
    }

    private func count(_ counters: VerdictCounters, _ answers: [Answer]) {
        counters.count(answers, to: answers.map { _ in request(.appAttestAssertion) })
    }

    @Test("Notes are counted by their code, of accepted and of rejected verdicts, and nothing else that has a code")
    func notes() {
        let counters = VerdictCounters()
        let suspended = Finding.note("revocation", "suspended", "")
        count(
            counters,
            [
                verdict([.pass("size"), suspended, .note("key_description", "set_not_sorted", "")]),
                verdict(
                    [suspended, .fail("boot_key", Rejection(.bootKey, "")), Finding(check: "a", outcome: .skipped, code: "b")],
                    Rejection(.bootKey, "")),
            ])
        #expect(counters.counts.notes == ["suspended": 2, "set_not_sorted": 1])
        #expect(counters.counts.accepted == 1 && counters.counts.rejected == [.bootKey: 1])
    }

    @Test("A bounded number of notes is counted by code, however many codes verifiers have")
    func bound() {
        let counters = VerdictCounters()
        for number in 0..<1000 { count(counters, [verdict([.note("check", "code \(number)", "")])]) }
        count(counters, [verdict([.note("check", "code 0", "")])])
        let notes = counters.counts.notes
        #expect(notes.count == VerdictCounters.noteLimit + 1 && notes["code 0"] == 2)
        #expect(notes[VerdictCounters.other] == 1000 - UInt64(VerdictCounters.noteLimit))
    }

    @Test("Codes that are not built in are counted together, however many there are")
    func otherCodes() throws {
        let counters = VerdictCounters()
        for number in 0..<1000 {
            let code = try #require(FailureCode(rawValue: "meter/code-\(number)"))
            count(counters, [verdict([], Rejection(code, ""))])
        }
        #expect(counters.counts.rejected.isEmpty && counters.counts.rejectedByOtherCodes == 1000)
    }

    @Test("Verdicts are counted by app and format, and the sums are those of all apps")
    func matrix() throws {
        let counters = VerdictCounters()
        let notes = try AppProfile.testing(.notes)
        counters.count(
            [
                verdict([]), .repeated(message: []), verdict([], Rejection(.bootKey, "")), .failed(.evidenceMemoryFull),
                .abandoned,
            ],
            to: [
                request(.appAttestAssertion), request(.appAttestAssertion), request(.appAttestAttestation, to: notes),
                request(.appAttestAssertion, .playIntegrity, ), request(.appAttestAssertion),
            ])
        counters.challengesIssued(1, .assert, of: .camera)
        counters.challengesIssued(1, .register, of: .notes)
        let apps = counters.apps
        #expect(apps.map(\.app) == ["camera", "notes"])
        #expect(apps[0].formats.map(\.format) == ["app-attest.assertion", "several"])
        #expect(apps[0].formats[0].accepted == [0, 0, 0, 1, 0] && apps[0].formats[0].repeated == 1)
        #expect(apps[0].formats[1].unavailable == ["evidence_memory_full": 1])
        #expect(apps[1].formats.map(\.format) == ["app-attest.attestation"] && apps[1].formats[0].rejected == [.bootKey: 1])
        #expect(apps[0].challenges == [.assert: 1] && apps[1].challenges == [.register: 1])
        let sums = counters.counts
        #expect(sums.accepted == 1 && sums.repeated == 1 && sums.unavailable == 1 && sums.challengesIssued == 2)
    }

    @Test("Formats that an app does not accept are counted together, whatever a caller names")
    func formats() {
        let counters = VerdictCounters()
        for number in 0..<500 {
            counters.count(
                [verdict([], Rejection(.formatNotAccepted, ""))], to: [request(EvidenceFormat(rawValue: "plugin/x\(number)"))])
        }
        #expect(counters.apps.first?.formats.map(\.format) == [VerdictCounters.other])
        #expect(counters.counts.rejected == [.formatNotAccepted: 500])
    }

    @Test("Beyond the limit of apps the counts go to other, and none is lost")
    func apps() throws {
        let counters = VerdictCounters()
        for number in 0..<(VerdictCounters.appLimit + 50) {
            counters.challengesIssued(1, .assert, of: try #require(AppID("app-\(number)")))
        }
        #expect(counters.apps.count == VerdictCounters.appLimit + 1 && counters.apps.last?.app == VerdictCounters.other)
        #expect(counters.apps.last?.challenges == [.assert: 50])
        #expect(counters.counts.challengesIssued == UInt64(VerdictCounters.appLimit + 50))
    }
}
