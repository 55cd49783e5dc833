import AssayAPI
import AssayProtobuf
import Foundation
import SwiftProtobuf

/// Frames as they are written and read one by one (`proto/assay/rpc/v1/frame.proto`), wrong ones too.
enum RawFrame {
    /// The largest frame in either direction, in bytes.
    static let sizeLimit = 1 << 20

    static func call(_ id: UInt64, _ method: String, _ message: [UInt8], timeoutMilliseconds: Int64) -> [UInt8] {
        framed(id) { writer in
            writer.writeMessage(2) { call in
                call.write(1, method)
                call.write(2, message)
                call.write(3, timeoutMilliseconds)
            }
        }
    }

    static func reply(_ id: UInt64, _ message: [UInt8]) -> [UInt8] {
        framed(id) { $0.writeMessage(3) { $0.write(2, message) } }
    }

    static func reply(_ id: UInt64, code: Int32, reason: String, _ sentence: String) -> [UInt8] {
        framed(id) { writer in
            writer.writeMessage(3) { reply in
                reply.writeMessage(1) { status in
                    status.write(1, Int64(code))
                    status.write(2, sentence)
                    status.write(3, reason)
                }
            }
        }
    }

    static var ping: [UInt8] { framed(0) { $0.writeMessage(7) { _ in } } }

    private static func framed(_ id: UInt64, _ body: (inout ProtobufWriter) -> Void) -> [UInt8] {
        var writer = ProtobufWriter(capacity: 256)
        writer.write(1, Int64(bitPattern: id))
        body(&writer)
        return withLength(writer.finish())
    }

    /// A payload behind its length.
    static func withLength(_ payload: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(payload.count).bigEndian) { Array($0) } + payload
    }

    /// What a plugin sent.
    enum Received {
        case call(id: UInt64, method: String, message: [UInt8])
        case reply(id: UInt64, RawReply)
        case pong
        case ping
        case other(Int)
    }

    private enum Rules: ProtobufRules {
        static var malformed: CheckFailure { CheckFailure("it sent a frame that cannot be decoded") }
        static var dropsHighBits: Bool { true }
    }

    static func read(_ payload: [UInt8]) throws(CheckFailure) -> Received {
        var id: UInt64 = 0
        var body: (number: Int, bytes: [UInt8])?
        for field in try fields(payload) {
            switch field {
            case (1, .number(let value)): id = value
            case (let number, .bytes(let bytes)): body = (number, bytes)
            default: break
            }
        }
        switch body {
        case (2, let bytes)?:
            let fields = try fields(bytes)
            return .call(id: id, method: String(decoding: fields.bytes(1), as: UTF8.self), message: fields.bytes(2))
        case (3, let bytes)?:
            let fields = try fields(bytes)
            let status = try Self.fields(fields.bytes(1))
            return .reply(
                id: id,
                RawReply(
                    code: status.number(1), reason: String(decoding: status.bytes(3), as: UTF8.self),
                    sentence: String(decoding: status.bytes(2), as: UTF8.self), message: fields.bytes(2)))
        case (7, _)?: return .ping
        case (8, _)?: return .pong
        case (let number, _)?: return .other(number)
        case nil: return .other(0)
        }
    }

    fileprivate enum Value {
        case number(UInt64)
        case bytes([UInt8])
    }

    private static func fields(_ message: [UInt8]) throws(CheckFailure) -> [(Int, Value)] {
        let result = message.withUnsafeBytes { memory in
            Result { () throws(CheckFailure) in
                var reader = ProtobufReader<Rules>(memory)
                var fields: [(Int, Value)] = []
                while let field = try reader.next() {
                    switch field {
                    case .varint(let number, let value): fields.append((number, .number(value)))
                    case .bytes(let number, let range): fields.append((number, .bytes(Array(memory[range]))))
                    case .fixed: break
                    }
                }
                return fields
            }
        }
        return try result.get()
    }
}

extension [(Int, RawFrame.Value)] {
    fileprivate func bytes(_ number: Int) -> [UInt8] {
        for case (number, .bytes(let bytes)) in self { return bytes }
        return []
    }

    fileprivate func number(_ number: Int) -> UInt64 {
        for case (number, .number(let value)) in self { return value }
        return 0
    }
}

/// A reply as it was sent.
struct RawReply {
    /// gRPC's canonical number; 0: OK.
    let code: UInt64
    let reason: String
    let sentence: String
    let message: [UInt8]

    var isOK: Bool { code == 0 }

    /// Such as `12 unknown_method`.
    var words: String {
        isOK ? "OK" : "status \(code)" + (reason.isEmpty ? "" : " \(reason)") + (sentence.isEmpty ? "" : " (\(sentence))")
    }
}
