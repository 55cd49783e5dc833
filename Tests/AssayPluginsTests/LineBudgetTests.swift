import AssayPlugins
import Testing

@Suite("Log lines of plugins")
struct LineBudgetTests {
    @Test("50 lines pass in a second; the next that passes says how many were dropped before it")
    func budget() {
        var budget = LineBudget()
        let start = ContinuousClock.now
        let passed = (0..<80).map { budget.pass(at: start.advanced(by: .milliseconds($0))) }
        #expect(passed.prefix(50).allSatisfy { $0 == 0 } && passed.dropFirst(50).allSatisfy { $0 == nil })
        #expect(budget.pass(at: start.advanced(by: .seconds(1))) == 30)
        #expect(budget.pass(at: start.advanced(by: .seconds(1))) == 0)
    }
}
