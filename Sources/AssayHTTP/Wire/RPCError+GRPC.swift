import AssayCore
import AssayProtobuf
import AssayRPC

/// Errors as gRPC and gRPC-Web have them: in trailers.
extension RPCError {
    /// Bytes of the message that trailers carry. Percent-encoded, and once more in the details, it stays below the 8 KiB of headers that
    /// gRPC's clients take by default.
    static let trailerMessageLimit = 1024

    /// The value of `grpc-message`: UTF-8 of which `%`, and all bytes but visible ASCII and inner spaces, are percent-encoded (gRPC over HTTP/2,
    /// "Responses"). Spaces at an end would not survive in a header.
    var percentEncodedMessage: String {
        let bytes = Array(trailerMessage.utf8)
        let inner = (bytes.firstIndex { $0 != 0x20 } ?? 0)..<((bytes.lastIndex { $0 != 0x20 } ?? -1) + 1)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isPlain = (0x21...0x7E).contains(byte) || (byte == 0x20 && inner.contains(index))
            if isPlain, byte != UInt8(ascii: "%") {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), Self.hexadecimalDigit(byte >> 4), Self.hexadecimalDigit(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// `google.rpc.Status`, serialised: code, message, and the details.
    var statusDetails: [UInt8] {
        var status = ProtobufWriter(capacity: 512)
        status.write(1, Int64(code.rawValue))
        status.write(2, trailerMessage)
        for detail in ErrorDetail.all(of: self) {
            status.writeMessage(3) { any in
                any.write(1, "type.googleapis.com/" + detail.type)
                any.write(2, detail.value)
            }
        }
        return status.finish()
    }

    /// The value of `grpc-status-details-bin`: ``statusDetails`` as Base64 without padding, as gRPC's binary headers are sent.
    var encodedStatusDetails: String { Base64.standard.encodeUnpadded(statusDetails) }

    /// The trailers of gRPC-Web, which are the last message of the body: header lines with lower-case names, without an empty line at the end.
    ///
    /// - Parameter error: nil: the call ended well.
    static func grpcWebTrailers(_ error: RPCError?) -> [UInt8] {
        let fields = error?.grpcFields ?? [("grpc-status", "0")]
        return Array(fields.map { "\($0.name): \($0.value)\r\n" }.joined().utf8)
    }

    /// The status of a call as gRPC has it behind its messages, or in place of them.
    var grpcFields: [(name: String, value: String)] {
        var fields = [(name: "grpc-status", value: "\(code.rawValue)")]
        if !message.isEmpty { fields.append(("grpc-message", percentEncodedMessage)) }
        fields.append(("grpc-status-details-bin", encodedStatusDetails))
        return fields
    }

    private var trailerMessage: String {
        guard message.utf8.count > Self.trailerMessageLimit else { return message }
        var end = message.utf8.index(message.startIndex, offsetBy: Self.trailerMessageLimit - "…".utf8.count)
        // Not inside of a scalar.
        while end > message.startIndex, end.samePosition(in: message.unicodeScalars) == nil {
            end = message.utf8.index(before: end)
        }
        return String(message.unicodeScalars[..<end]) + "…"
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension Base64 {
    func encodeUnpadded(_ bytes: [UInt8]) -> String {
        let text = encode(bytes)
        return String(text.utf8.prefix { $0 != UInt8(ascii: "=") }) ?? text
    }
}
