/// How a client retries, and how long it waits.
public struct ClientOptions: Hashable, Sendable {
    /// How often a call is tried that is safe to retry.
    public var retry: RetryRule
    /// The timeout of a call that has none of its own, including all tries and the pauses between them.
    public var timeout: Duration
    /// Whether a verification or a request for a certificate without an idempotency key gets a random one, so that it can be retried
    /// when its answer was lost. Without a key it is retried only if the daemon certainly did not begin it. A key of a verification
    /// costs the daemon a row until the challenge has expired.
    public var idempotencyKeys: Bool

    /// The default timeout leaves time for five tries with their pauses.
    public init(retry: RetryRule = RetryRule(), timeout: Duration = .seconds(30), idempotencyKeys: Bool = true) {
        (self.retry, self.timeout, self.idempotencyKeys) = (retry, timeout, idempotencyKeys)
    }
}

/// How often a call is tried, and how long the pauses between tries are.
///
/// The pause after the first try is ``base``; each later pause is twice the one before it, up to ``cap``. Each is up to a fifth longer or
/// shorter by chance, so that clients that failed together do not retry together. When the daemon sends `retry_after_ms`, the pause is at
/// least that long. It still doubles: an overloaded daemon sends all clients the same short time.
public struct RetryRule: Hashable, Sendable {
    /// Tries in total, including the first; at least 1.
    public var tries: Int
    public var base: Duration
    public var cap: Duration

    public init(tries: Int = 5, base: Duration = .seconds(1), cap: Duration = .seconds(30)) {
        (self.tries, self.base, self.cap) = (max(1, tries), base, cap)
    }

    /// One try, for callers that retry on their own.
    public static let once = RetryRule(tries: 1)

    /// A fifth in either direction.
    static let jitter = 0.2

    /// The pause after a try, counted from 1.
    ///
    /// - Parameters:
    ///   - least: the daemon's `retry_after_ms`, if it sent one.
    ///   - chance: from 0 to 1.
    func pause(after attempt: Int, atLeast least: Duration?, chance: Double) -> Duration {
        var pause = base
        for _ in 1..<max(1, min(attempt, 64)) where pause < cap { pause *= 2 }
        pause = min(pause, cap) * (1 + Self.jitter * (2 * chance - 1))
        // Never earlier than the daemon's time, and spread out after it.
        guard let least else { return pause }
        return max(pause, least * (1 + Self.jitter * chance))
    }
}
