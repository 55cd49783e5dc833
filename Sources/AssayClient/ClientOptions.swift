/// How a client behaves towards its daemon.
public struct ClientOptions: Hashable, Sendable {
    /// How often a call that may be repeated is tried.
    public var retry: RetryRule
    /// What a call may take that names no timeout of its own, all its tries and the pauses between them included.
    public var timeout: Duration
    /// Whether a verification without an idempotency key gets a random one, so that it can be repeated when its answer was
    /// lost. Without one it is repeated only where it was certainly not begun. A key costs the daemon a row until the
    /// challenge has expired.
    public var idempotencyKeys: Bool

    /// The usual timeout holds five tries with their pauses.
    public init(retry: RetryRule = RetryRule(), timeout: Duration = .seconds(30), idempotencyKeys: Bool = true) {
        (self.retry, self.timeout, self.idempotencyKeys) = (retry, timeout, idempotencyKeys)
    }
}
