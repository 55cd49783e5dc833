import Testing

@testable import AssayClient

@Suite("Retry rule")
struct RetryRuleTests {
    private let rule = RetryRule()

    @Test("doubles the pause from 1 s up to 30 s")
    func doubling() {
        let pauses = (1...8).map { rule.pause(after: $0, atLeast: nil, chance: 0.5) }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
        #expect(rule.pause(after: .max, atLeast: nil, chance: 0.5) == .seconds(30))
        #expect(rule.tries == 5)
    }

    @Test("makes each pause up to a fifth shorter or longer")
    func jitter() {
        #expect(rule.pause(after: 1, atLeast: nil, chance: 0) == .milliseconds(800))
        #expect(rule.pause(after: 1, atLeast: nil, chance: 1) == .milliseconds(1200))
        #expect(rule.pause(after: 9, atLeast: nil, chance: 1) == .seconds(36))
        for _ in 0..<1000 {
            let pause = rule.pause(after: 2, atLeast: nil, chance: Double.random(in: 0...1))
            #expect(pause >= .milliseconds(1600) && pause <= .milliseconds(2400))
        }
    }

    @Test("never comes back earlier than the daemon said, and not with everybody else")
    func leastPause() {
        #expect(rule.pause(after: 1, atLeast: .milliseconds(100), chance: 0.5) == .seconds(1), "its own pause is longer")
        #expect(rule.pause(after: 1, atLeast: .seconds(60), chance: 0) == .seconds(60))
        #expect(rule.pause(after: 1, atLeast: .seconds(60), chance: 1) == .seconds(72))
    }

    @Test("tries at least once")
    func once() {
        #expect(RetryRule.once.tries == 1)
        #expect(RetryRule(tries: -3).tries == 1)
    }
}
