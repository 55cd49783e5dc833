import AssayCore
import AssayProtobuf
import AssayRPC

/// Connect's errors: `{"code":"not_found","message":"…","details":[{"type":"google.rpc.ErrorInfo","value":"…"}]}`, in the body of an answer
/// or as a member of a stream's last message.
extension RPCError {
    /// Details beyond these are not looked at.
    private static let detailLimit = 16

    /// The error that an answer's body is; `nil` if it is none, such as a proxy's.
    init?(connectError body: ArraySlice<UInt8>) {
        guard case .object(let object)? = try? JSONReader.parse(body, code: .malformed) else { return nil }
        self.init(connectError: object)
    }

    init?(connectError object: JSONObject) {
        guard let name = object.text("code"), let code = RPCStatusCode(connectName: name) else { return nil }
        var (reason, retryAfter) = ("", UInt32?.none)
        if case .array(let details)? = object["details".utf8] {
            for case .object(let detail) in details.prefix(Self.detailLimit) {
                guard let type = detail.text("type"), let value = detail.text("value"),
                    let bytes = Base64.decode(eitherAlphabet: Array(value.utf8)[...])
                else { continue }
                switch type {
                case "google.rpc.ErrorInfo": reason = StatusDetail.reason(bytes) ?? reason
                case "google.rpc.RetryInfo": retryAfter = StatusDetail.retryDelay(bytes) ?? retryAfter
                default: continue
                }
            }
        }
        self.init(code, object.text("message") ?? "", reason: reason, retryAfterMilliseconds: retryAfter)
    }

    /// What a stream's last message says: `{}`, or `{"error":{…}}`.
    ///
    /// - Returns: `nil`: it ended well. A message of another form is an error too.
    static func connectEnd(_ message: ArraySlice<UInt8>) -> RPCError? {
        guard case .object(let object)? = try? JSONReader.parse(message, code: .malformed) else { return .protocolBroken }
        switch object["error".utf8] {
        case nil, .null: return nil
        case .object(let error): return RPCError(connectError: error) ?? .protocolBroken
        default: return .protocolBroken
        }
    }
}

extension JSONObject {
    fileprivate func text(_ name: String) -> String? {
        guard case .string(let text)? = self[name.utf8] else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The details of `google.rpc` that are read.
private enum StatusDetail {
    private struct Malformed: Error {}
    private enum Rules: ProtobufRules {
        static var malformed: Malformed { Malformed() }
        static var dropsHighBits: Bool { true }
    }

    /// `ErrorInfo.reason`, field 1.
    static func reason(_ bytes: [UInt8]) -> String? {
        bytes.withUnsafeBytes { memory in
            var reader = ProtobufReader<Rules>(memory)
            var reason: String?
            while let field = try? reader.next() {
                if case .bytes(1, let range) = field { reason = memory.text(range) }
            }
            return reason
        }
    }

    /// `RetryInfo.retry_delay`, field 1: a Duration of seconds (1) and nanoseconds (2). In milliseconds, rounded up.
    static func retryDelay(_ bytes: [UInt8]) -> UInt32? {
        bytes.withUnsafeBytes { memory in
            var reader = ProtobufReader<Rules>(memory)
            var delay: UInt32?
            while let field = try? reader.next() {
                if case .bytes(1, let range) = field { delay = milliseconds(memory, range) }
            }
            return delay
        }
    }

    private static func milliseconds(_ memory: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt32? {
        var reader = ProtobufReader<Rules>(memory, range)
        var (seconds, nanoseconds) = (Int64(0), Int64(0))
        while let field = try? reader.next() {
            switch field {
            case .varint(1, let value): seconds = Int64(bitPattern: value)
            case .varint(2, let value): nanoseconds = Int64(bitPattern: value)
            default: continue
            }
        }
        guard seconds >= 0, (0..<1_000_000_000).contains(nanoseconds) else { return nil }
        // Beyond 49 days it does not matter how long.
        guard seconds < Int64(UInt32.max / 1000) else { return .max }
        return UInt32(clamping: seconds * 1000 + (nanoseconds + 999_999) / 1_000_000)
    }
}
