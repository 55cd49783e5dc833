import AssayCore
import AssayRPC
import NIOHPACK

/// The status of a call of gRPC, which follows its messages, or stands in place of them (gRPC over HTTP/2, "Responses").
extension RPCError {
    /// - Parameters:
    ///   - trailers: the last header fields of an answer.
    ///   - httpStatus: of the answer.
    ///   - contentType: in lower case.
    /// - Returns: `nil`: the call ended well. An answer without a status is not of gRPC.
    static func grpcStatus(_ trailers: HPACKHeaders, httpStatus: UInt, contentType: String) -> RPCError? {
        guard let number = trailers.first(name: "grpc-status").flatMap({ Int32($0) }) else {
            return .foreignAnswer(httpStatus, contentType)
        }
        guard number != RPCStatusCode.ok.rawValue else { return nil }
        var found = StatusDetail.Found()
        if let text = trailers.first(name: "grpc-status-details-bin"),
            let bytes = Base64.decode(eitherAlphabet: Array(text.utf8)[...])
        {
            found = StatusDetail.found(in: bytes)
        }
        let message = trailers.first(name: "grpc-message").map { percentDecoded($0) } ?? ""
        // A number that is not known is UNKNOWN.
        return RPCError(
            RPCStatusCode(rawValue: number) ?? .unknown, message, reason: found.reason,
            retryAfterMilliseconds: found.retryAfterMilliseconds)
    }

    /// What is no percent-encoding stays as it is.
    private static func percentDecoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let byte = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}

extension Duration {
    /// The value of `grpc-timeout`: at most 8 digits and a unit, never less than the duration.
    var grpcTimeout: String {
        let (seconds, attoseconds) = components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1000)
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        if !milliseconds.overflow, milliseconds.partialValue + rest < 100_000_000 {
            return "\(max(1, milliseconds.partialValue + rest))m"
        }
        return "\(min(99_999_999, seconds + 1))S"
    }
}
