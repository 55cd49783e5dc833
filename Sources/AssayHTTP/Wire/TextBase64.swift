import AssayCore
package import AssayRPC
package import NIOCore

/// Decodes the body of `application/grpc-web-text` as it arrives: Base64 (RFC 4648 §4) in pieces that were encoded one by one, so that padding may
/// stand in the middle. Other characters, white space included, and bits left over are refused.
package struct TextBase64Decoder {
    /// Symbols of a group of four that is not whole, and their bits.
    private var symbols = 0
    private var bits: UInt32 = 0
    private var padding = 0

    package init() {}

    /// Uses up the chunk. Up to three symbols are kept for the next one.
    package mutating func decode(_ chunk: inout ByteBuffer) throws(RPCError) -> ByteBuffer {
        var decoded = ByteBuffer()
        guard let text = chunk.readSlice(length: chunk.readableBytes), text.readableBytes > 0 else { return decoded }
        // Three bytes for each group that the chunk may complete, with what was kept.
        let most = (symbols + padding + text.readableBytes) / 4 * 3
        var isGood = true
        decoded.writeWithUnsafeMutableBytes(minimumWritableBytes: most) { memory in
            var count = 0
            text.withUnsafeReadableBytes { text in
                for byte in text where isGood { isGood = take(byte, into: memory, &count) }
            }
            return count
        }
        guard isGood else { throw .undecodableText }
        return decoded
    }

    /// Throws if the text ended within a group.
    package func finish() throws(RPCError) {
        guard symbols == 0 else { throw .undecodableText }
    }

    /// Whether a byte continues the text. Writes the bytes of a group that it completes.
    private mutating func take(_ byte: UInt8, into memory: UnsafeMutableRawBufferPointer, _ count: inout Int) -> Bool {
        if byte == UInt8(ascii: "=") {
            guard symbols >= 2 else { return false }
            padding += 1
            bits <<= 6
        } else {
            let value = Self.values[Int(byte)]
            guard value < 64, padding == 0 else { return false }
            symbols += 1
            bits = bits << 6 | UInt32(value)
        }
        guard symbols + padding == 4 else { return true }
        // A group of two symbols has 4 bits left over, one of three has 2.
        guard bits & (1 << UInt32(8 * padding) - 1) == 0 else { return false }
        memory[count] = UInt8(truncatingIfNeeded: bits >> 16)
        if padding < 2 { memory[count + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
        if padding < 1 { memory[count + 2] = UInt8(truncatingIfNeeded: bits) }
        count += 3 - padding
        (symbols, bits, padding) = (0, 0, 0)
        return true
    }

    /// The value of each symbol, and 255 for bytes that are none. 256 elements.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
}

/// Encodes a piece of a body of `application/grpc-web-text`.
enum TextBase64 {
    static func encode(_ bytes: ByteBuffer) -> ByteBuffer {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.readableBytes + 2) / 3 * 4)
        bytes.withUnsafeReadableBytes { Base64.standard.append($0, to: &text) }
        return ByteBuffer(bytes: text)
    }
}
