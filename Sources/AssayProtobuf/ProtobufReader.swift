/// What a module decides about the messages that it reads with ``ProtobufReader``.
public protocol ProtobufRules {
    associatedtype Failure: Error
    /// What is thrown for bytes that are not a message.
    static var malformed: Failure { get }
    /// Whether bits of a varint above 64 are dropped, as the generated code does; else they make a message malformed.
    static var dropsHighBits: Bool { get }
}

/// Reads the fields of one protobuf message in order, without building the message and without copying.
///
/// The bytes are untrusted: nothing here traps, and what is not a message throws. The memory must outlive the reader. The reader of each
/// message decides which unknown fields it skips, as proto3 does, and which it refuses.
///
/// It is generic over constants and inlined where it is used: each module gets a reader of its own error, as if it were written there. It is `public`,
/// though no product offers this module, because Swift 6.3 does not inline `package` functions across modules.
public struct ProtobufReader<Rules: ProtobufRules> {
    /// A field's number, from 1 to 2^29 - 1, and its value.
    public enum Field {
        case varint(Int, UInt64)
        /// A length-delimited value, as a range of the reader's memory.
        case bytes(Int, Range<Int>)
        /// A value of fixed width, as a range of 4 or 8 bytes of the reader's memory, least significant first.
        case fixed(Int, Range<Int>)

        @inlinable
        public var number: Int {
            switch self {
            case .varint(let number, _), .bytes(let number, _), .fixed(let number, _): number
            }
        }
    }

    @usableFromInline let memory: UnsafeRawBufferPointer
    @usableFromInline var at: Int
    @usableFromInline let end: Int

    /// Reads all of `memory`.
    @inlinable
    public init(_ memory: UnsafeRawBufferPointer) { (self.memory, at, end) = (memory, 0, memory.count) }

    /// Reads a range of `memory`, clamped to it.
    @inlinable
    public init(_ memory: UnsafeRawBufferPointer, _ range: Range<Int>) {
        let clamped = range.clamped(to: 0..<memory.count)
        (self.memory, at, end) = (memory, clamped.lowerBound, clamped.upperBound)
    }

    /// The next field; nil at the end.
    @inlinable @inline(__always)
    public mutating func next() throws(Rules.Failure) -> Field? {
        guard at < end else { return nil }
        let key = try varint()
        // Protocol Buffers, "Assigning Field Numbers": 1 to 2^29 - 1.
        guard key >= 1 << 3, key <= UInt64(UInt32.max) else { throw Rules.malformed }
        let number = Int(truncatingIfNeeded: key >> 3)
        switch key & 7 {
        case 0: return .varint(number, try varint())
        case 1: return .fixed(number, try take(8))
        case 2: return .bytes(number, try take(try varint()))
        case 5: return .fixed(number, try take(4))
        // Groups belong to proto2 and are not sent.
        default: throw Rules.malformed
        }
    }

    /// The next number of a field in which numbers are packed, without keys; nil at the end.
    @inlinable
    public mutating func nextPacked() throws(Rules.Failure) -> UInt64? { at < end ? try varint() : nil }

    @inlinable @inline(__always)
    mutating func varint() throws(Rules.Failure) -> UInt64 {
        // Keys, most lengths and most values take one byte.
        guard at < end, memory[at] < 0x80 else { return try longVarint() }
        defer { at += 1 }
        return UInt64(memory[at])
    }

    /// Base 128, least significant group first, at most 10 bytes.
    @inlinable
    mutating func longVarint() throws(Rules.Failure) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while at < end {
            let byte = memory[at]
            at += 1
            // The tenth byte has one bit of the 64.
            guard shift < 63 || byte <= 1 || (Rules.dropsHighBits && byte < 0x80) else { throw Rules.malformed }
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Rules.malformed
    }

    @inlinable @inline(__always)
    mutating func take(_ count: UInt64) throws(Rules.Failure) -> Range<Int> {
        guard let count = Int(exactly: count), count <= end - at else { throw Rules.malformed }
        defer { at += count }
        return at..<at + count
    }
}

extension UnsafeRawBufferPointer {
    /// The text of a `string` field; nil if the bytes are not UTF-8. The range is one that a reader of this memory returned.
    @inlinable
    public func text(_ range: Range<Int>) -> String? {
        let part = UnsafeRawBufferPointer(rebasing: self[range])
        // Names are ASCII, and are copied without the library's look for the types of what it validates.
        guard part.allSatisfy({ $0 < 0x80 }) else { return String(validating: part, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: part.count) { memory in
            UnsafeMutableRawBufferPointer(memory).copyMemory(from: part)
            return part.count
        }
    }
}
