/// How often a failed call is repeated, and after which pauses: the rule of all clients (clients/README.md, "Retries").
public struct Backoff: Hashable, Sendable {
    /// In total. 1: no repetition.
    public var tries: Int
    /// Before the first repetition. Each further pause is twice as long.
    public var firstPause: Duration
    /// No pause is planned longer. A backend that asks for more gets its wish, but not within the call: that fails at once, and its
    /// error says when to call again.
    public var longestPause: Duration

    public init(tries: Int = 5, firstPause: Duration = .seconds(1), longestPause: Duration = .seconds(30)) {
        (self.tries, self.firstPause, self.longestPause) = (tries, firstPause, longestPause)
    }

    /// How far a pause may be from the planned one.
    static let spread = 0.2

    /// The pause after try `count` (from 1); none if no further try is made.
    ///
    /// - Parameter after: what the other side asks for. The pause is never shorter, and up to a fifth longer, so that not all phones
    ///   come back at once.
    func pause(afterTry count: Int, askedFor after: Duration?, chance: Double) -> Duration? {
        guard count < tries else { return nil }
        let chance = min(max(chance, 0), 1)
        var planned = firstPause
        for _ in 1..<max(count, 1) where planned < longestPause { planned *= 2 }
        let pause = min(planned, longestPause) * (1 + Self.spread * (2 * chance - 1))
        guard let after else { return pause }
        guard after <= longestPause else { return nil }
        return max(pause, after * (1 + Self.spread * chance))
    }
}
