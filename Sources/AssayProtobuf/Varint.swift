/// The numbers of protobuf: base 128, least significant group first; seven bits in a byte, and the eighth says that more bytes follow.
public enum Varint {
    /// The most bytes for 64 bits.
    @inlinable
    public static var longest: Int { 10 }

    /// The bytes that a value takes.
    @inlinable
    public static func length(_ value: UInt64) -> Int { (70 - (value | 1).leadingZeroBitCount) / 7 }

    /// Writes a value to memory that has space for its bytes from `start`. Returns the index after the last of them.
    @inlinable @inline(__always)
    static func write(_ value: UInt64, to memory: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
        // Keys and most lengths take one byte.
        guard value >= 0x80 else {
            memory[start] = UInt8(truncatingIfNeeded: value)
            return start + 1
        }
        return writeLong(value, to: memory, at: start)
    }

    @inlinable
    static func writeLong(_ value: UInt64, to memory: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
        var (rest, index) = (value, start)
        while rest >= 0x80 {
            memory[index] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            index += 1
        }
        memory[index] = UInt8(truncatingIfNeeded: rest)
        return index + 1
    }
}
