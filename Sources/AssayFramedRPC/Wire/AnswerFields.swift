import AssayProtobuf
import AssayRPC
import SwiftProtobuf

/// The fields of a Reply, Item or End: a message, or the error in its place.
package struct AnswerFields {
    private(set) var message = 0..<0
    /// Nil when the status is absent or OK.
    private(set) var error: RPCError?

    /// - Parameter kind: `.reply`, `.item` or `.end`; they differ in the numbers of their fields.
    package init(_ kind: FrameKind, parsing bytes: UnsafeRawBufferPointer, _ body: Range<Int>) throws(GoAwayReason) {
        let statusField = kind == .item ? nil : 1
        let messageField = kind == .reply ? 2 : kind == .item ? 1 : nil
        var reader = FrameReader(bytes, body)
        while let field = try reader.next() {
            guard case .bytes(let number, let range) = field else { continue }
            if number == messageField {
                message = range
            } else if number == statusField {
                error = try Self.error(bytes, range)
            }
        }
    }

    private static func error(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(GoAwayReason) -> RPCError? {
        guard let status = try? Assay_Rpc_V1_Status(serializedBytes: Array(bytes[range])) else {
            throw .undecodableFrame
        }
        return RPCError(status)
    }
}

extension RPCError {
    /// The error a status stands for; nil for OK.
    init?(_ status: Assay_Rpc_V1_Status) {
        guard status.code != 0 else { return nil }
        self.init(
            Int32(exactly: status.code).flatMap(RPCStatusCode.init(rawValue:)) ?? .unknown,
            status.message,
            reason: status.reason,
            retryAfterMilliseconds: status.retryAfterMs == 0 ? nil : status.retryAfterMs)
    }
}

extension Assay_Rpc_V1_Status {
    init(_ error: RPCError) {
        self.init()
        // An error is never sent as OK.
        code = UInt32(clamping: (error.code == .ok ? .unknown : error.code).rawValue)
        message = String(error.message.prefix(1024))  // an explanation, not a transport for data
        reason = error.reason
        retryAfterMs = error.retryAfterMilliseconds ?? 0
    }
}
