import AssayCore

/// Writes a protobuf message field by field, in one pass into one array. Fields with default values are left out, as
/// proto3 has it.
///
/// The hot answers are written by this and not through the generated messages: those cost two walks and an allocation
/// for each part. A test reads what is written here back through the generated code.
struct ProtobufWriter {
    /// Written up to `end`; what follows is room. Kept full, so that a field is written in place and not byte by byte.
    private var room: [UInt8]
    private var end = 0

    init(capacity: Int) { room = [UInt8](repeating: 0, count: capacity) }

    /// The message, in the writer's own memory.
    consuming func finish() -> [UInt8] {
        room.removeLast(room.count - end)
        return room
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

    /// Inside a oneof even a default value is written: it says which member is set.
    mutating func writeAlways(_ field: Int, _ text: String) {
        var text = text
        text.withUTF8 { writeLengthDelimited(field, UnsafeRawBufferPointer($0)) }
    }

    mutating func writeAlways(_ field: Int, _ data: [UInt8]) {
        data.withUnsafeBytes { writeLengthDelimited(field, $0) }
    }

    mutating func writeAlways(_ field: Int, _ number: Int64) {
        append(2 * Varint.longest) { room in
            var count = Varint.write(UInt64(field) << 3, to: room, at: 0)
            count = Varint.write(UInt64(bitPattern: number), to: room, at: count)
            return count
        }
    }

    /// A message inside the message. Its length is known when it has been written; the bytes are moved if that needs more
    /// than the one byte that was kept for it, which only long messages do.
    mutating func writeMessage(_ field: Int, _ body: (inout ProtobufWriter) -> Void) {
        writeLengthDelimited(field, UnsafeRawBufferPointer(start: nil, count: 0))
        let start = end
        body(&self)
        let length = end - start
        let extra = Varint.length(UInt64(length)) - 1
        if extra > 0 {
            append(extra) { _ in extra }
            room.withUnsafeMutableBytes { room in
                let body = UnsafeRawBufferPointer(rebasing: room[start..<start + length])
                UnsafeMutableRawBufferPointer(rebasing: room[(start + extra)...]).copyMemory(from: body)
            }
        }
        room.withUnsafeMutableBytes { room in
            _ = Varint.write(UInt64(length), to: UnsafeMutableRawBufferPointer(rebasing: room[(start - 1)...]), at: 0)
        }
    }

    private mutating func writeLengthDelimited(_ field: Int, _ bytes: UnsafeRawBufferPointer) {
        append(2 * Varint.longest + bytes.count) { room in
            var count = Varint.write(UInt64(field) << 3 | 2, to: room, at: 0)
            count = Varint.write(UInt64(bytes.count), to: room, at: count)
            UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: bytes)
            return count + bytes.count
        }
    }

    /// Lets `write` put at most `most` bytes behind what is written; it returns how many there are.
    private mutating func append(_ most: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) {
        if room.count - end < most { room += repeatElement(0, count: max(most, room.count)) }
        end += room.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[end..<end + most])) }
    }
}

/// Base 128, least significant group first: seven bits a byte, the eighth says that more follow.
private enum Varint {
    /// The most bytes that 64 bits need.
    static let longest = 10

    static func length(_ value: UInt64) -> Int { (70 - (value | 1).leadingZeroBitCount) / 7 }

    /// Returns the index behind what was written.
    static func write(_ value: UInt64, to room: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
        var (rest, index) = (value, start)
        while rest >= 0x80 {
            room[index] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            index += 1
        }
        room[index] = UInt8(truncatingIfNeeded: rest)
        return index + 1
    }
}
