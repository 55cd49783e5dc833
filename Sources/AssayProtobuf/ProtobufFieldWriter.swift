/// Writes protobuf fields one after the other into memory that was measured for them.
///
/// It never writes beyond the memory: a wrong measure is a defect of the caller, and stops the process.
public struct ProtobufFieldWriter {
    @usableFromInline let memory: UnsafeMutableRawBufferPointer
    @usableFromInline var end = 0

    @inlinable
    public init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    /// The bytes written.
    @inlinable
    public var count: Int { end }

    /// The size of a length-delimited field with a number below 16, in bytes.
    @inlinable
    public static func size(_ length: Int) -> Int { 1 + Varint.length(UInt64(truncatingIfNeeded: length)) + length }

    /// A field of an integer, a boolean or an enumeration, default values included.
    @inlinable
    public mutating func write(_ field: Int, _ value: UInt64) {
        writeVarints(UInt64(truncatingIfNeeded: field) << 3, value)
    }

    /// A field of bytes, text or a message, empty ones included.
    @inlinable
    public mutating func write(_ field: Int, _ bytes: UnsafeRawBufferPointer) {
        writeHead(field, length: bytes.count)
        precondition(bytes.count <= memory.count - end, "the memory was measured for less")
        UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyMemory(from: bytes)
        end += bytes.count
    }

    /// The beginning of a length-delimited field, whose bytes are written next.
    @inlinable
    public mutating func writeHead(_ field: Int, length: Int) {
        writeVarints(UInt64(truncatingIfNeeded: field) << 3 | 2, UInt64(truncatingIfNeeded: length))
    }

    @inlinable
    mutating func writeVarints(_ key: UInt64, _ value: UInt64) {
        precondition(Varint.length(key) + Varint.length(value) <= memory.count - end, "the memory was measured for less")
        end = Varint.write(value, to: memory, at: Varint.write(key, to: memory, at: end))
    }
}
