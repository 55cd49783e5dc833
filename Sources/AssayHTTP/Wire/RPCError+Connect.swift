import AssayCore
import AssayRPC

/// Errors as Connect has them: JSON, in the body.
extension RPCError {
    /// The error of a call without envelopes, and at the end of a stream: code, message, and the details, if there are any.
    var connectJSON: [UInt8] {
        var text = Array("{\"code\":".utf8)
        Self.append(code.connectName, to: &text)
        text += ",\"message\":".utf8
        Self.append(message, to: &text)
        let details = ErrorDetail.all(of: self)
        for (index, detail) in details.enumerated() {
            text += (index == 0 ? ",\"details\":[{\"type\":" : ",{\"type\":").utf8
            Self.append(detail.type, to: &text)
            text += ",\"value\":".utf8
            Self.append(Base64.standard.encodeUnpadded(detail.value), to: &text)
            text.append(UInt8(ascii: "}"))
        }
        text += (details.isEmpty ? "}" : "]}").utf8
        return text
    }

    /// The last message of a stream.
    ///
    /// - Parameter error: nil: the call ended well.
    static func connectEndOfStream(_ error: RPCError?) -> [UInt8] {
        guard let error else { return Array("{}".utf8) }
        return Array("{\"error\":".utf8) + error.connectJSON + Array("}".utf8)
    }

    private static func append(_ string: String, to text: inout [UInt8]) {
        var string = string
        string.withUTF8 { JSONText.append(string: UnsafeRawBufferPointer($0), to: &text) }
    }
}
