/// A call that has no answer: what the other side said, or what happened on the way.
///
/// `reason` is the contract for machines: a stable lower-case word or nothing. `message` is for people and never parsed.
package struct RPCError: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: RPCStatusCode
    package let message: String
    package let reason: String
    /// When trying again may help, in milliseconds from now. Zero cannot be told from absent on the wire.
    package let retryAfterMilliseconds: UInt32?
    /// For the operator's log; never sent.
    package let cause: String

    package init(
        _ code: RPCStatusCode, _ message: String, reason: String = "", retryAfterMilliseconds: UInt32? = nil,
        cause: String = ""
    ) {
        (self.code, self.message, self.reason) = (code, message, reason)
        (self.retryAfterMilliseconds, self.cause) = (retryAfterMilliseconds, cause)
    }

    package var description: String {
        reason.isEmpty ? "\(code): \(message)" : "\(code) (\(reason)): \(message)"
    }
}
