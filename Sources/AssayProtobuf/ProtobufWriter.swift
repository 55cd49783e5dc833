/// Writes a protobuf message field by field, in one pass into one array. Fields with default values are left out, as in proto3.
///
/// Answers of the hot path are written with this and not with the generated messages, which take two passes and an allocation for each
/// part. A test reads the output back with the generated code.
public struct ProtobufWriter {
    /// The message up to `end`, then unused bytes: fields are written in place and not appended byte by byte.
    @usableFromInline var buffer: [UInt8]
    @usableFromInline var end = 0

    /// - Parameter capacity: the bytes that are allocated at first.
    @inlinable
    public init(capacity: Int) { buffer = [UInt8](repeating: 0, count: capacity) }

    /// Goes on with a message that was written before.
    ///
    /// - Parameter capacity: the bytes that are allocated for what follows it.
    @inlinable
    public init(continuing message: [UInt8], capacity: Int) {
        buffer = [UInt8](unsafeUninitializedCapacity: message.count + capacity) { bytes, count in
            count = message.count + capacity
            bytes[message.count...].initialize(repeating: 0)
            _ = bytes[..<message.count].initialize(fromContentsOf: message)
        }
        end = message.count
    }

    /// The message, without a copy.
    @inlinable
    public consuming func finish() -> [UInt8] {
        buffer.removeLast(buffer.count - end)
        return buffer
    }

    @inlinable
    public mutating func write(_ field: Int, _ text: String) {
        guard !text.isEmpty else { return }
        writeAlways(field, text)
    }

    @inlinable
    public mutating func write(_ field: Int, _ data: [UInt8]) {
        guard !data.isEmpty else { return }
        writeAlways(field, data)
    }

    @inlinable
    public mutating func write(_ field: Int, _ number: Int64) {
        guard number != 0 else { return }
        writeAlways(field, number)
    }

    @inlinable
    public mutating func write(_ field: Int, _ flag: Bool) { write(field, flag ? 1 : Int64(0)) }

    @inlinable
    public mutating func write(_ field: Int, _ number: Double) {
        guard number.bitPattern != 0 else { return }
        writeAlways(field, number)
    }

    /// Inside a oneof a default value is written too: it shows which member is set.
    @inlinable
    public mutating func writeAlways(_ field: Int, _ text: String) {
        // Nearly every text has its UTF-8 in one piece, and is not copied for it.
        let written: Void? = text.utf8.withContiguousStorageIfAvailable {
            writeLengthDelimited(field, UnsafeRawBufferPointer($0))
        }
        guard written == nil else { return }
        var text = text
        text.withUTF8 { writeLengthDelimited(field, UnsafeRawBufferPointer($0)) }
    }

    @inlinable
    public mutating func writeAlways(_ field: Int, _ data: [UInt8]) {
        data.withUnsafeBytes { writeLengthDelimited(field, $0) }
    }

    /// A part of a longer array, without a copy.
    @inlinable
    public mutating func writeAlways(_ field: Int, _ data: ArraySlice<UInt8>) {
        data.withUnsafeBytes { writeLengthDelimited(field, $0) }
    }

    @inlinable
    public mutating func writeAlways(_ field: Int, _ number: Int64) {
        reserve(2 * Varint.longest)
        end = buffer.withUnsafeMutableBytes { buffer in
            let start = Varint.write(UInt64(field) << 3, to: buffer, at: end)
            return Varint.write(UInt64(bitPattern: number), to: buffer, at: start)
        }
    }

    /// Eight bytes, least significant first.
    @inlinable
    public mutating func writeAlways(_ field: Int, _ number: Double) {
        reserve(Varint.longest)
        end = buffer.withUnsafeMutableBytes { Varint.write(UInt64(field) << 3 | 1, to: $0, at: end) }
        writePacked(number)
    }

    /// A number of a list that ``begin(_:)`` began.
    @inlinable
    public mutating func writePacked(_ number: Int64) {
        reserve(Varint.longest)
        end = buffer.withUnsafeMutableBytes { Varint.write(UInt64(bitPattern: number), to: $0, at: end) }
    }

    /// A number of a list that ``begin(_:)`` began.
    @inlinable
    public mutating func writePacked(_ number: Double) {
        reserve(8)
        buffer.withUnsafeMutableBytes {
            $0.storeBytes(of: number.bitPattern.littleEndian, toByteOffset: end, as: UInt64.self)
        }
        end += 8
    }

    /// A nested message.
    @inlinable
    public mutating func writeMessage(_ field: Int, _ body: (inout ProtobufWriter) -> Void) {
        let start = begin(field)
        body(&self)
        finish(start)
    }

    /// Begins a nested message, or a list of numbers without keys, for writers that cannot be a closure. ``finish(_:)`` ends it.
    ///
    /// Its length is known after it is written; the bytes are moved if the length needs more than the one byte that is reserved for it, which
    /// only long ones do.
    @inlinable
    public mutating func begin(_ field: Int) -> Int {
        writeLengthDelimited(field, UnsafeRawBufferPointer(start: nil, count: 0))
        return end
    }

    /// - Parameter start: what ``begin(_:)`` returned; those that were begun later are finished.
    @inlinable
    public mutating func finish(_ start: Int) {
        let length = end - start
        let extra = Varint.length(UInt64(length)) - 1
        if extra > 0 {
            reserve(extra)
            end += extra
            buffer.withUnsafeMutableBytes { buffer in
                let body = UnsafeRawBufferPointer(rebasing: buffer[start..<start + length])
                UnsafeMutableRawBufferPointer(rebasing: buffer[(start + extra)...]).copyMemory(from: body)
            }
        }
        buffer.withUnsafeMutableBytes { buffer in
            _ = Varint.write(UInt64(length), to: UnsafeMutableRawBufferPointer(rebasing: buffer[(start - 1)...]), at: 0)
        }
    }

    @inlinable
    mutating func writeLengthDelimited(_ field: Int, _ bytes: UnsafeRawBufferPointer) {
        reserve(2 * Varint.longest + bytes.count)
        end = buffer.withUnsafeMutableBytes { buffer in
            var start = Varint.write(UInt64(field) << 3 | 2, to: buffer, at: end)
            start = Varint.write(UInt64(bytes.count), to: buffer, at: start)
            if let memory = buffer.baseAddress, let first = bytes.baseAddress {
                (memory + start).copyMemory(from: first, byteCount: bytes.count)
            }
            return start + bytes.count
        }
    }

    /// Makes the buffer long enough for `most` bytes after `end`.
    @inlinable
    mutating func reserve(_ most: Int) {
        if buffer.count - end < most { buffer += repeatElement(0, count: max(most, buffer.count)) }
    }
}
