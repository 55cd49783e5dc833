import AssayCore
import AssayProtobuf
import AssayRPC

/// Connect's errors: `{"code":"not_found","message":"…","details":[{"type":"google.rpc.ErrorInfo","value":"…"}]}`, in the body of an answer
/// or as a member of a stream's last message.
extension RPCError {
    /// The error that an answer's body is; `nil` if it is none, such as a proxy's.
    init?(connectError body: ArraySlice<UInt8>) {
        guard case .object(let object)? = try? JSONReader.parse(body, code: .malformed) else { return nil }
        self.init(connectError: object)
    }

    init?(connectError object: JSONObject) {
        guard let name = object.text("code"), let code = RPCStatusCode(connectName: name) else { return nil }
        var found = StatusDetail.Found()
        if case .array(let details)? = object["details".utf8] {
            for case .object(let detail) in details.prefix(StatusDetail.countLimit) {
                guard let type = detail.text("type"), let value = detail.text("value"),
                    let bytes = Base64.decode(eitherAlphabet: Array(value.utf8)[...])
                else { continue }
                found.read(type, bytes)
            }
        }
        self.init(
            code, object.text("message") ?? "", reason: found.reason, retryAfterMilliseconds: found.retryAfterMilliseconds)
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
