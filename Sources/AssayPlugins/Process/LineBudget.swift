/// How many lines of a plugin are handed on: at most so many in a second.
package struct LineBudget: Sendable {
    package static let linesPerSecond = 50

    private var second: ContinuousClock.Instant?
    private var lines = 0
    private var dropped = 0

    package init() {}

    /// How many lines were dropped since the last one that passed; `nil`: this one is dropped too.
    package mutating func pass(at now: ContinuousClock.Instant) -> Int? {
        if second.map({ now - $0 >= .seconds(1) }) ?? true { (second, lines) = (now, 0) }
        guard lines < Self.linesPerSecond else {
            dropped += 1
            return nil
        }
        lines += 1
        defer { dropped = 0 }
        return dropped
    }
}
