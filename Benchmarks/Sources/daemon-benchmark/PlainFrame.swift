import AssayAPI
import AssayCore
import SwiftProtobuf

/// The two frames that the load needs, as documented in `proto/README.md`.
enum PlainFrame {
    /// A `Verify` call, preceded by its length.
    static func call(_ id: UInt64, _ request: VerificationRequest) throws -> [UInt8] {
        let message: [UInt8] = try request.message.serializedBytes()
        let call = field(1, Array("/assay.v1.Attestation/Verify".utf8)) + field(2, message) + varint(3 << 3) + varint(60_000)
        let frame = varint(1 << 3) + varint(id) + field(2, call)
        return withUnsafeBytes(of: UInt32(frame.count).bigEndian) { Array($0) } + frame
    }

    /// The verdict in a reply; `nil` if it is another frame or has a status.
    static func verdict(_ frame: [UInt8]) -> Assay_V1_Verdict? {
        guard let reply = bytes(of: 3, in: frame[...]), bytes(of: 1, in: reply) == nil, let message = bytes(of: 2, in: reply)
        else { return nil }
        return try? Assay_V1_Verdict(serializedBytes: Array(message))
    }

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
