import AssayCore
import Foundation

/// How a call over HTTP ended, as the trailers of gRPC or an error of Connect say it. Read without the daemon's own code.
public struct TestCallStatus: Hashable, Sendable, CustomStringConvertible {
    /// gRPC's number.
    public let code: Int
    public let message: String
    public private(set) var reason = ""
    /// What may help, of the details.
    public private(set) var retry = ""
    /// When trying again may help.
    public private(set) var retryAfterMilliseconds: UInt64 = 0

    public init(code: Int, message: String, reason: String = "", retryAfterMilliseconds: UInt64 = 0) {
        (self.code, self.message, self.reason) = (code, message, reason)
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// `nil`: the answer is none of gRPC.
    public init?(grpc answer: TestHTTP2Client.Answer) {
        guard let code = answer.field("grpc-status").flatMap({ Int($0) }) else { return nil }
        let text = answer.field("grpc-message") ?? ""
        guard let message = text.removingPercentEncoding else { return nil }
        self.init(code: code, message: message)
        guard let details = answer.field("grpc-status-details-bin") else { return }
        // google.rpc.Status, which says the same once more: code, message, details.
        guard let bytes = Self.decode(details), let status = ProtobufFields(bytes), status.number(1) == UInt64(code),
            status.text(2) == message
        else { return nil }
        for detail in status.all(3) {
            // google.protobuf.Any: type, value.
            guard let any = ProtobufFields(detail), let name = any.text(1).split(separator: "/").last,
                read(detail: String(name), any.bytes(2) ?? [])
            else { return nil }
        }
    }

    /// `nil`: the body is no error of Connect.
    public init?(connect body: [UInt8]) {
        guard let error = try? JSONDecoder().decode(ConnectError.self, from: Data(body)),
            let index = Self.connectCodes.firstIndex(of: error.code)
        else { return nil }
        self.init(code: index + 1, message: error.message)
        for detail in error.details ?? [] {
            guard let value = Self.decode(detail.value), read(detail: detail.type, value) else { return nil }
        }
    }

    private struct ConnectError: Decodable {
        struct Detail: Decodable {
            let type: String
            let value: String
        }

        let code: String
        let message: String
        let details: [Detail]?
    }

    /// By gRPC's numbers, from 1.
    private static let connectCodes = [
        "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists", "permission_denied",
        "resource_exhausted", "failed_precondition", "aborted", "out_of_range", "unimplemented", "internal", "unavailable",
        "data_loss", "unauthenticated",
    ]

    private mutating func read(detail name: String, _ value: [UInt8]) -> Bool {
        guard let fields = ProtobufFields(value) else { return false }
        switch name {
        case "google.rpc.ErrorInfo":
            reason = fields.text(1)
            for entry in fields.all(3).compactMap({ ProtobufFields($0) }) where entry.text(1) == "retry" {
                retry = entry.text(2)
            }
        case "google.rpc.RetryInfo":
            guard let delay = ProtobufFields(fields.bytes(1) ?? []) else { return false }
            retryAfterMilliseconds = delay.number(1) * 1000 + delay.number(2) / 1_000_000
        default: break
        }
        return true
    }

    /// Base64 without padding, as both have it.
    private static func decode(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)).map { Array($0) }
    }

    public var description: String { reason.isEmpty ? "\(code): \(message)" : "\(code) (\(reason)): \(message)" }
}
