/// The error of a call: what the other side answered, or what happened on the way.
///
/// `reason` is the contract for machines: a stable lower-case word, or empty. `message` is for people and never parsed.
package struct RPCError: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: RPCStatusCode
    package let message: String
    package let reason: String
    /// When trying again may help, in milliseconds from now. The wire does not tell zero from absent.
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
