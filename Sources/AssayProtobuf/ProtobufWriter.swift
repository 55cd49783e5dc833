/// Writes a protobuf message field by field, in one pass. Fields with default values are left out, as in proto3.
///
/// Answers of the hot path are written with this and not with the generated messages, which take two passes and an allocation for each
/// part. A test reads the output back with the generated code.
public struct ProtobufWriter: ~Copyable {
    /// The message up to `end`, then bytes that are not initialised.
    @usableFromInline var memory: UnsafeMutableRawBufferPointer
    @usableFromInline var end = 0
    /// Whether the memory was allocated here. If not, it is an array's, which gets the message where it stands.
    @usableFromInline var ownsMemory: Bool

    /// - Parameter capacity: the bytes that are allocated at first.
    @inlinable
    public init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 1)
        ownsMemory = true
    }

    /// - Parameter memory: outlives the writer.
    @inlinable
    init(borrowing memory: UnsafeMutableRawBufferPointer) { (self.memory, ownsMemory) = (memory, false) }

    @inlinable
    deinit { if ownsMemory { memory.deallocate() } }

    /// The message, copied. ``message(after:capacity:_:)`` makes one without a copy.
    @inlinable
    public consuming func finish() -> [UInt8] { [UInt8](UnsafeRawBufferPointer(rebasing: memory[..<end])) }

    /// A message that is written into its array at once: one allocation, unless it turns out longer than its capacity.
    ///
    /// - Parameters:
    ///   - message: fields that were written before.
    ///   - capacity: the bytes that are allocated for what `body` writes.
    @inlinable
    public static func message(
        after message: consuming [UInt8] = [], capacity: Int, _ body: (inout ProtobufWriter) -> Void
    ) -> [UInt8] {
        var longer: [UInt8] = []
        // Not by `init(unsafeUninitializedCapacity:)`, whose allocation is not specialised in Swift 6.3: it looks up the array's type each time.
        message.append(addingCapacity: capacity) { span in
            span.withUnsafeMutableBufferPointer { memory, count in
                var writer = ProtobufWriter(borrowing: UnsafeMutableRawBufferPointer(memory))
                body(&writer)
                if writer.ownsMemory { longer = writer.finish() } else { count = writer.end }
            }
        }
        if !longer.isEmpty { message += longer }
        return message
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
        writeVarint(Self.key(field, 0))
        writeVarint(UInt64(bitPattern: number))
    }

    /// Eight bytes, least significant first.
    @inlinable
    public mutating func writeAlways(_ field: Int, _ number: Double) {
        reserve(Varint.longest)
        writeVarint(Self.key(field, 1))
        writePacked(number)
    }

    /// A number of a list that ``begin(_:)`` began.
    @inlinable
    public mutating func writePacked(_ number: Int64) {
        reserve(Varint.longest)
        writeVarint(UInt64(bitPattern: number))
    }

    /// A number of a list that ``begin(_:)`` began.
    @inlinable
    public mutating func writePacked(_ number: Double) {
        reserve(8)
        memory.storeBytes(of: number.bitPattern.littleEndian, toByteOffset: end, as: UInt64.self)
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
        reserve(Varint.longest + 1)
        writeVarint(Self.key(field, 2))
        end += 1
        return end
    }

    /// - Parameter start: what ``begin(_:)`` returned; those that were begun later are finished.
    @inlinable
    public mutating func finish(_ start: Int) {
        let length = end - start
        if length >= 0x80 { move(start, by: Varint.length(UInt64(length)) - 1) }
        _ = Varint.write(UInt64(length), to: memory, at: start - 1)
    }

    /// Moves what was written from `start` on, for a length of more than one byte before it.
    @usableFromInline
    mutating func move(_ start: Int, by extra: Int) {
        reserve(extra)
        UnsafeMutableRawBufferPointer(rebasing: memory[(start + extra)...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<end]))
        end += extra
    }

    @inlinable
    mutating func writeLengthDelimited(_ field: Int, _ bytes: UnsafeRawBufferPointer) {
        reserve(2 * Varint.longest + bytes.count)
        writeVarint(Self.key(field, 2))
        writeVarint(UInt64(truncatingIfNeeded: bytes.count))
        UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyMemory(from: bytes)
        end += bytes.count
    }

    @inlinable @inline(__always)
    static func key(_ field: Int, _ wireType: UInt64) -> UInt64 { UInt64(truncatingIfNeeded: field) << 3 | wireType }

    /// There is space for it.
    @inlinable @inline(__always)
    mutating func writeVarint(_ value: UInt64) { end = Varint.write(value, to: memory, at: end) }

    /// Makes the memory long enough for `most` bytes after `end`. Every field is written after it.
    @inlinable @inline(__always)
    mutating func reserve(_ most: Int) {
        if memory.count - end < most { grow(most) }
    }

    @usableFromInline
    mutating func grow(_ most: Int) {
        let longer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: memory.count + max(most, memory.count), alignment: 1)
        longer.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<end]))
        if ownsMemory { memory.deallocate() }
        (memory, ownsMemory) = (longer, true)
    }
}
