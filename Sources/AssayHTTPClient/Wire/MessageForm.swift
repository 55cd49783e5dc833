import AssayRPC
import SwiftProtobuf

/// The form of messages over HTTP.
package enum MessageForm: Hashable, Sendable {
    case protobuf
    /// Protobuf's JSON, as callers without generated code write it.
    case json

    func write(_ message: some SwiftProtobuf.Message) throws(RPCError) -> [UInt8] {
        switch self {
        case .protobuf: return try message.serialised()
        case .json:
            guard let bytes: [UInt8] = try? message.jsonUTF8Bytes() else { throw .unserialisable }
            return bytes
        }
    }

    func read<Message: SwiftProtobuf.Message>(_ bytes: [UInt8]) throws(RPCError) -> Message {
        let message: Message? =
            switch self {
            case .protobuf: try? Message(serializedBytes: bytes)
            case .json:
                // A newer server may say more.
                try? Message(jsonUTF8Bytes: bytes, options: Self.lenient)
            }
        guard let message else { throw .undecodableReply }
        return message
    }

    private static let lenient: JSONDecodingOptions = {
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        return options
    }()
}
