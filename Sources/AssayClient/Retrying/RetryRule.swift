/// How often a call is tried, and how long is waited in between.
///
/// The pause after the first try is ``base``, and each later one twice the one before it, up to ``cap``; each is made up to a
/// fifth longer or shorter by chance, so that clients which failed together do not come back together. When the daemon says
/// when to come back (`retry_after_ms`) the pause is at least that long: an overloaded daemon tells everybody the same short
/// time, and clients that still fail have to grow slower all the same.
public struct RetryRule: Hashable, Sendable {
    /// Tries in all, the first one included; at least 1.
    public var tries: Int
    public var base: Duration
    public var cap: Duration

    public init(tries: Int = 5, base: Duration = .seconds(1), cap: Duration = .seconds(30)) {
        (self.tries, self.base, self.cap) = (max(1, tries), base, cap)
    }

    /// One try, for whoever repeats by themselves.
    public static let once = RetryRule(tries: 1)

    /// A fifth in either direction.
    static let jitter = 0.2

    /// The pause after a try, counted from 1.
    ///
    /// - Parameters:
    ///   - floor: what the daemon said, if it did.
    ///   - chance: from 0 to 1.
    func pause(after attempt: Int, floor: Duration?, chance: Double) -> Duration {
        var pause = base
        for _ in 1..<max(1, min(attempt, 64)) where pause < cap { pause *= 2 }
        pause = min(pause, cap) * (1 + Self.jitter * (2 * chance - 1))
        // Never earlier than told, and spread out behind it.
        guard let floor else { return pause }
        return max(pause, floor * (1 + Self.jitter * chance))
    }
}
