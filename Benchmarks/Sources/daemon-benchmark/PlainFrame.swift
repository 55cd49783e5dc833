import SwiftProtobuf

/// The frames that the load needs, as documented in `proto/README.md`.
enum PlainFrame {
    /// A call before it has a number.
    struct Request: Sendable {
        let method: String
        let message: [UInt8]
        /// The message as JSON. Made when it is asked for.
        let json: @Sendable () throws -> [UInt8]

        init(_ method: String, _ message: some Message) throws {
            (self.method, self.message) = (method, try message.serializedBytes())
            json = { try message.jsonUTF8Bytes() }
        }
    }

    /// A call, preceded by its length.
    static func call(_ id: UInt64, _ request: Request) -> [UInt8] {
        let call = field(1, Array(request.method.utf8)) + field(2, request.message) + varint(3 << 3) + varint(60_000)
        let frame = varint(1 << 3) + varint(id) + field(2, call)
        return withUnsafeBytes(of: UInt32(frame.count).bigEndian) { Array($0) } + frame
    }

    /// The message in a reply; `nil` if it is another frame or has a status.
    static func answer(_ frame: [UInt8]) -> [UInt8]? {
        guard let reply = bytes(of: 3, in: frame[...]), bytes(of: 1, in: reply) == nil else { return nil }
        return bytes(of: 2, in: reply).map { Array($0) } ?? []
    }

    /// What a reply says instead of a message, for people.
    static func problem(_ frame: [UInt8]) -> String {
        guard let reply = bytes(of: 3, in: frame[...]), let status = bytes(of: 1, in: reply) else { return "another frame" }
        return bytes(of: 2, in: status).map { String(decoding: $0, as: UTF8.self) } ?? "a status without a message"
    }

    /// Whether the peer says that it takes no more calls on the connection.
    static func isGoAway(_ frame: [UInt8]) -> Bool { bytes(of: 9, in: frame[...]) != nil }

    private static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }

    /// The bytes of a field, in a message that has only varints and bytes.
    private static func bytes(of number: UInt64, in message: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = message
        func next() -> UInt64? {
            var (value, shift) = (UInt64(0), UInt64(0))
            while let byte = rest.popFirst(), shift < 64 {
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            return nil
        }
        while let tag = next(), let value = next() {
            guard tag & 7 == 2 else { continue }
            guard value <= UInt64(rest.count) else { return nil }
            if tag >> 3 == number { return rest.prefix(Int(value)) }
            rest = rest.dropFirst(Int(value))
        }
        return nil
    }
}
