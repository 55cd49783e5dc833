import AssayAPI
import AssayCore
import AssayRPC

extension RPCError {
    /// The answer to a call whose body threw `error`.
    init(thrown error: any Error) {
        switch error {
        case let error as RPCError: self = error
        case let error as RequestError: self.init(error)
        case let error as LedgerError: self.init(error)
        case let error as TrustFeedError: self.init(.failedPrecondition, error.description, reason: "feed_refused")
        case is CancellationError: self = .cancelled
        default: self.init(.internalError, "the method failed", reason: "method_failed", cause: "\(error)")
        }
    }
}
