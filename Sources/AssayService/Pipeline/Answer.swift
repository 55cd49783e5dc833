package import AssayCore

/// The outcome of a request.
package enum Answer: Sendable {
    /// Judged now.
    case verdict(Verdict)
    /// Accepted before, under the same idempotency key: the stored message.
    case repeated(message: [UInt8])
    /// Not judged.
    case failed(PipelineError)
    /// Not judged, because the answer is not awaited any more. Nothing was spent.
    case abandoned
}
