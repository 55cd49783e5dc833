import AssayCore
import Testing

@Suite("Counter")
struct CounterStateTests {
    /// The counter of a device at its registration.
    let fresh = CounterState(counter: 0, window: 1)

    private func refusal(_ state: CounterState, _ next: UInt32, _ rule: CounterRule) -> ReasonCode? {
        do {
            _ = try state.advanced(to: next, rule: rule)
            return nil
        } catch {
            return error.code.builtIn
        }
    }

    @Test("A counter never accepts zero, by either rule", arguments: [CounterRule.strictlyIncreasing, .window64])
    func zero(_ rule: CounterRule) {
        #expect(refusal(fresh, 0, rule) == .counterNotIncreasing)
    }

    @Test("A strict counter rises with gaps, and neither falls nor repeats")
    func strict() throws {
        var state = fresh
        for next: UInt32 in [1, 2, 9, 100, 0x8000_0000, .max] {
            state = try state.advanced(to: next, rule: .strictlyIncreasing)
            #expect(state.counter == next)
            #expect(refusal(state, next, .strictlyIncreasing) == .counterNotIncreasing)
            #expect(refusal(state, next - 1, .strictlyIncreasing) == .counterNotIncreasing)
        }
        #expect(refusal(state, 0, .strictlyIncreasing) == .counterNotIncreasing)
        #expect(refusal(state, 1, .strictlyIncreasing) == .counterNotIncreasing)
    }

    @Test("A counter with a window accepts late values once, down to 63 below")
    func window() throws {
        var state = try fresh.advanced(to: 100, rule: .window64)
        #expect(refusal(state, 100, .window64) == .counterNotIncreasing)
        for late: UInt32 in [99, 37, 64] {
            state = try state.advanced(to: late, rule: .window64)
            #expect(state.counter == 100)
            #expect(refusal(state, late, .window64) == .counterNotIncreasing)
        }
        #expect(refusal(state, 36, .window64) == .counterTooOld)
        #expect(refusal(state, 0, .window64) == .counterTooOld)
    }

    @Test("A counter with a window remembers accepted values when it rises", arguments: [1, 62, 63, 64, 65, 1000] as [UInt32])
    func windowMoves(_ step: UInt32) throws {
        var state = try fresh.advanced(to: 1000, rule: .window64)
        state = try state.advanced(to: 1000 + step, rule: .window64)
        #expect(refusal(state, 1000, .window64) == (step < 64 ? .counterNotIncreasing : .counterTooOld))
        if step > 1, step <= 64 { #expect(refusal(state, 1001, .window64) == nil) }
    }

    @Test("A counter does not wrap")
    func end() throws {
        let state = try fresh.advanced(to: .max, rule: .window64)
        #expect(state.window == 1)
        #expect(refusal(state, .max, .window64) == .counterNotIncreasing)
        #expect(refusal(state, .max - 1, .window64) == nil)
        #expect(refusal(state, .max - 63, .window64) == nil)
        #expect(refusal(state, .max - 64, .window64) == .counterTooOld)
        #expect(refusal(state, 0, .window64) == .counterTooOld)
    }

    @Test("A value accepted by the strict rule counts as accepted in a window")
    func changeOfRule() throws {
        let state = try fresh.advanced(to: 5, rule: .strictlyIncreasing).advanced(to: 8, rule: .strictlyIncreasing)
        #expect(refusal(state, 5, .window64) == .counterNotIncreasing)
        #expect(refusal(state, 6, .window64) == nil)
    }
}
