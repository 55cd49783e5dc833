import AssayCore
import Testing

@Suite("Budget of slips that cost a verification")
struct SlipBudgetTests {
    private let slips = Binding(embedded: [1, 2, 3]).slipsOfData
    private func second(_ seconds: Int64) -> Timestamp { Timestamp(unixMilliseconds: 1_700_000_000_000 + seconds * 1000) }

    @Test("Bad signatures are explained as often as an app under test makes them, and then again after pauses")
    func budget() {
        let budget = SlipBudget()
        func taken(at time: Timestamp) -> Int { (0..<200).count { _ in budget.take(at: time) } }
        #expect(taken(at: second(0)) == 64)
        #expect(taken(at: second(0).adding(milliseconds: 999)) == 0)
        // Some were wanted in vain a millisecond ago.
        #expect(taken(at: second(1)) == 0)
        #expect(taken(at: second(2)) == 1)
        #expect(taken(at: second(5).adding(milliseconds: 500)) == 3)
        // A clock that went back gives nothing, and takes nothing away.
        #expect(taken(at: second(2)) == 0)
        #expect(taken(at: second(7)) == 1)
        // No more is saved up.
        #expect(taken(at: second(86_400)) == 64)
    }

    @Test("A second's part that is left over counts with the next, while there are some left")
    func parts() {
        let budget = SlipBudget()
        func take(_ count: Int, at time: Timestamp) -> Bool { (0..<count).allSatisfy { _ in budget.take(at: time) } }
        #expect(take(63, at: second(0)))
        // One was left, and one came.
        #expect(take(1, at: second(1).adding(milliseconds: 500)))
        #expect(take(2, at: second(2)))
        #expect(!take(1, at: second(2)))
    }

    @Test("A steady load of bad signatures is never explained again")
    func flood() {
        let budget = SlipBudget()
        while budget.take(at: second(0)) {}
        for number in 1...1000 as ClosedRange<Int64> {
            #expect(!budget.take(at: second(0).adding(milliseconds: 900 * number)))
        }
        #expect(budget.take(at: second(902)))
    }

    @Test("A bad signature costs eight verifications at most, and none once the budget is used up")
    func explanation() throws {
        let budget = SlipBudget()
        let usual = try #require(slips.first)
        #expect(slips.count > ClientDataSlip.signatureLimit)
        let explained = budget.explanation(at: second(0), among: slips) { $0 == usual.bytes }
        #expect(explained == ": " + usual.sentence)
        var tries = 0
        for number in 2...64 {
            let text = budget.explanation(at: second(0), among: slips) { _ in
                tries += 1
                return false
            }
            #expect(text.isEmpty && tries == (number - 1) * ClientDataSlip.signatureLimit)
        }
        tries = 0
        let unexplained = budget.explanation(at: second(0), among: slips) { bytes in
            tries += 1
            return bytes == usual.bytes
        }
        #expect(unexplained.isEmpty && tries == 0)
    }
}
