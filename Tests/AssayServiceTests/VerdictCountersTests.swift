import AssayCore
import Testing

@testable import AssayService

@Suite("Traffic")
struct VerdictCountersTests {
    private func answer(_ findings: [Finding], _ rejection: Rejection? = nil) -> Answer {
        .verdict(
            Verdict(
                decision: rejection.map { .rejected($0, check: "") } ?? .accepted(.hardware), findings: findings,
                claims: Claims(), device: nil, binding: nil, evidenceDigest: [], policyDigest: [], simulated: false,
                requestID: [], decidedAt: ServiceHarness.opening))
    }

    @Test("counts notes by their code, of accepted and of rejected verdicts, and nothing else that has a code")
    func notes() {
        let counters = VerdictCounters()
        let suspended = Finding.note("revocation", "suspended", "")
        counters.count([
            answer([.pass("size"), suspended, .note("key_description", "set_not_sorted", "")]),
            answer(
                [suspended, .fail("boot_key", Rejection(.bootKey, "")), Finding(check: "a", outcome: .skipped, code: "b")],
                Rejection(.bootKey, "")),
        ])
        #expect(counters.counts.notes == ["suspended": 2, "set_not_sorted": 1])
        #expect(counters.counts.accepted == 1 && counters.counts.rejected == [.bootKey: 1])
    }

    @Test("keeps a bounded number of codes, whatever verifiers make up")
    func bound() {
        let counters = VerdictCounters()
        for number in 0..<1000 { counters.count([answer([.note("check", "code \(number)", "")])]) }
        counters.count([answer([.note("check", "code 0", "")])])
        let notes = counters.counts.notes
        #expect(notes.count == VerdictCounters.noteLimit + 1 && notes["code 0"] == 2)
        #expect(notes[VerdictCounters.otherNotes] == 1000 - UInt64(VerdictCounters.noteLimit))
    }
}
