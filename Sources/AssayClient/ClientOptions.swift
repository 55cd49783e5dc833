/// How a client retries, and how long it waits.
public struct ClientOptions: Hashable, Sendable {
    /// How often a call is tried that is safe to retry.
    public var retry: RetryRule
    /// The timeout of a call that has none of its own, including all tries and the pauses between them.
    public var timeout: Duration
    /// Whether a verification without an idempotency key gets a random one, so that it can be retried when its answer was lost. Without
    /// a key it is retried only if the daemon certainly did not begin it. A key costs the daemon a row until the challenge has expired.
    public var idempotencyKeys: Bool

    /// The default timeout leaves time for five tries with their pauses.
    public init(retry: RetryRule = RetryRule(), timeout: Duration = .seconds(30), idempotencyKeys: Bool = true) {
        (self.retry, self.timeout, self.idempotencyKeys) = (retry, timeout, idempotencyKeys)
    }
}
