import AssayCore
import AssayProtobuf
import AssayRPC

/// A message beside an error's code and text, of those that `google/rpc/error_details.proto` defines.
struct ErrorDetail: Hashable, Sendable {
    /// The full name of the message.
    let type: String
    /// Serialised.
    let value: [UInt8]

    /// The domain in which reasons have a meaning.
    static let domain = "assay"

    /// The reason, and what a caller may do next as a retry class under `retry` (docs/reference/reason-codes.md).
    private static func errorInfo(of error: RPCError) -> ErrorDetail {
        var info = ProtobufWriter(capacity: 96)
        info.write(1, error.reason)
        info.write(2, domain)
        info.writeMessage(3) { entry in
            entry.write(1, "retry")
            entry.write(2, error.retry.rawValue)
        }
        return ErrorDetail(type: "google.rpc.ErrorInfo", value: info.finish())
    }

    /// - Parameter milliseconds: the time after which another try may help.
    private static func retryInfo(_ milliseconds: UInt32) -> ErrorDetail {
        var info = ProtobufWriter(capacity: 32)
        info.writeMessage(1) { delay in
            delay.write(1, Int64(milliseconds / 1000))
            delay.write(2, Int64(milliseconds % 1000) * 1_000_000)
        }
        return ErrorDetail(type: "google.rpc.RetryInfo", value: info.finish())
    }

    static func all(of error: RPCError) -> [ErrorDetail] {
        var details: [ErrorDetail] = []
        if !error.reason.isEmpty { details.append(errorInfo(of: error)) }
        if let delay = error.retryAfterMilliseconds, delay > 0 { details.append(retryInfo(delay)) }
        return details
    }
}
