package import AssayCore
package import AssayRPC

/// What a request comes to.
package enum Answer: Sendable {
    /// Judged now.
    case verdict(Verdict)
    /// Accepted before, under the same idempotency key: the stored message.
    case repeated(message: [UInt8])
    /// Not judged.
    case failed(RPCError)
    /// Nobody waits for it; nothing was spent.
    case abandoned
}
