import AssayCore

/// Writes a protobuf message field by field, in one pass into one array. Fields with default values are left out, as
/// proto3 has it.
///
/// The hot answers are written by this and not through the generated messages: those cost two walks and an allocation
/// for each part. A test reads what is written here back through the generated code.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

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
        writeLengthDelimited(field, text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func writeAlways(_ field: Int, _ data: [UInt8]) {
        writeLengthDelimited(field, data.count)
        bytes.append(contentsOf: data)
    }

    mutating func writeAlways(_ field: Int, _ number: Int64) {
        writeVarint(UInt64(field) << 3)
        writeVarint(UInt64(bitPattern: number))
    }

    /// A message inside the message. Its length is known when it has been written; the bytes are moved if that needs more
    /// than the one byte that was kept for it, which only long messages do.
    mutating func writeMessage(_ field: Int, _ body: (inout ProtobufWriter) -> Void) {
        writeLengthDelimited(field, 0)
        let start = bytes.count
        body(&self)
        let length = bytes.count - start
        guard length >= 0x80 else {
            bytes[start - 1] = UInt8(truncatingIfNeeded: length)
            return
        }
        var prefix = ProtobufWriter(capacity: 5)
        prefix.writeVarint(UInt64(length))
        bytes.replaceSubrange(start - 1..<start, with: prefix.bytes)
    }

    private mutating func writeLengthDelimited(_ field: Int, _ length: Int) {
        writeVarint(UInt64(field) << 3 | 2)
        writeVarint(UInt64(length))
    }

    private mutating func writeVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
