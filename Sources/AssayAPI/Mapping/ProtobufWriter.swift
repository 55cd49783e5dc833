import AssayCore

/// Writes a protobuf message field by field, in one pass into one array. Fields with default values are left out, as in proto3.
///
/// Answers of the hot path are written with this and not with the generated messages, which take two passes and an allocation for each
/// part. A test reads the output back with the generated code.
struct ProtobufWriter {
    /// The message up to `end`, then unused bytes: fields are written in place and not appended byte by byte.
    private var buffer: [UInt8]
    private var end = 0

    init(capacity: Int) { buffer = [UInt8](repeating: 0, count: capacity) }

    /// The message, without a copy.
    consuming func finish() -> [UInt8] {
        buffer.removeLast(buffer.count - end)
        return buffer
    }

    mutating func write(_ field: Int, _ text: String) {
        guard !text.isEmpty else { return }
        writeAlways(field, text)
    }

    mutating func write(_ field: Int, _ data: [UInt8]) {
        guard !data.isEmpty else { return }
        writeAlways(field, data)
    }

    mutating func write(_ field: Int, _ number: Int64) {
        guard number != 0 else { return }
        writeAlways(field, number)
    }

    mutating func write(_ field: Int, _ flag: Bool) { write(field, flag ? 1 : Int64(0)) }

    /// Inside a oneof a default value is written too: it shows which member is set.
    mutating func writeAlways(_ field: Int, _ text: String) {
        var text = text
        text.withUTF8 { writeLengthDelimited(field, UnsafeRawBufferPointer($0)) }
    }

    mutating func writeAlways(_ field: Int, _ data: [UInt8]) {
        data.withUnsafeBytes { writeLengthDelimited(field, $0) }
    }

    mutating func writeAlways(_ field: Int, _ number: Int64) {
        append(2 * Varint.longest) { buffer in
            var count = Varint.write(UInt64(field) << 3, to: buffer, at: 0)
            count = Varint.write(UInt64(bitPattern: number), to: buffer, at: count)
            return count
        }
    }

    /// A nested message. Its length is known after it is written; the bytes are moved if the length needs more than the one byte that is
    /// reserved for it, which only long messages do.
    mutating func writeMessage(_ field: Int, _ body: (inout ProtobufWriter) -> Void) {
        writeLengthDelimited(field, UnsafeRawBufferPointer(start: nil, count: 0))
        let start = end
        body(&self)
        let length = end - start
        let extra = Varint.length(UInt64(length)) - 1
        if extra > 0 {
            append(extra) { _ in extra }
            buffer.withUnsafeMutableBytes { buffer in
                let body = UnsafeRawBufferPointer(rebasing: buffer[start..<start + length])
                UnsafeMutableRawBufferPointer(rebasing: buffer[(start + extra)...]).copyMemory(from: body)
            }
        }
        buffer.withUnsafeMutableBytes { buffer in
            _ = Varint.write(UInt64(length), to: UnsafeMutableRawBufferPointer(rebasing: buffer[(start - 1)...]), at: 0)
        }
    }

    private mutating func writeLengthDelimited(_ field: Int, _ bytes: UnsafeRawBufferPointer) {
        append(2 * Varint.longest + bytes.count) { buffer in
            var count = Varint.write(UInt64(field) << 3 | 2, to: buffer, at: 0)
            count = Varint.write(UInt64(bytes.count), to: buffer, at: count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
            return count + bytes.count
        }
    }

    /// Lets `write` add at most `most` bytes after `end`; it returns how many it added.
    private mutating func append(_ most: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) {
        if buffer.count - end < most { buffer += repeatElement(0, count: max(most, buffer.count)) }
        end += buffer.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[end..<end + most])) }
    }
}

/// Base 128, least significant group first: seven bits in a byte, and the eighth says that more bytes follow.
private enum Varint {
    /// The most bytes for 64 bits.
    static let longest = 10

    static func length(_ value: UInt64) -> Int { (70 - (value | 1).leadingZeroBitCount) / 7 }

    /// Returns the index after the last byte that was written.
    static func write(_ value: UInt64, to buffer: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
        var (rest, index) = (value, start)
        while rest >= 0x80 {
            buffer[index] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            index += 1
        }
        buffer[index] = UInt8(truncatingIfNeeded: rest)
        return index + 1
    }
}
