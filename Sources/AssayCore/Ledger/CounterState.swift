/// The counter of a device: the highest accepted value, and which of the 64 values up to it were accepted.
///
/// `advanced` is the definition of the counter rules; ledgers apply it inside their transactions.
public struct CounterState: Hashable, Sendable {
    public var counter: UInt32
    /// Bit n is set if `counter - n` was accepted.
    public var window: UInt64

    public init(counter: UInt32, window: UInt64) { (self.counter, self.window) = (counter, window) }

    /// The state after `next` is accepted. Throws `counter_not_increasing` or `counter_too_old`.
    public func advanced(to next: UInt32, rule: CounterRule) throws(Rejection) -> CounterState {
        if next > counter {
            let step = next - counter
            return CounterState(counter: next, window: (step < 64 ? window << UInt64(step) : 0) | 1)
        }
        guard rule == .window64 else {
            throw Rejection(
                .counterNotIncreasing,
                next == counter
                    ? "counter \(next) was accepted before"
                    : "counter \(next) after \(counter): a repetition, or overtaken by another upload, which counter: strict refuses"
            )
        }
        let age = counter - next
        guard age < 64 else { throw Rejection(.counterTooOld, "counter \(next) lies \(age) below \(counter), window 64") }
        let bit: UInt64 = 1 << UInt64(age)
        guard window & bit == 0 else { throw Rejection(.counterNotIncreasing, "counter \(next) was accepted before") }
        return CounterState(counter: counter, window: window | bit)
    }
}
