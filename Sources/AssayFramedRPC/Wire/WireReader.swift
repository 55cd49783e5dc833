/// A forward-only reader of protobuf fields over untrusted bytes. Nothing here can trap: malformed bytes throw.
///
/// The bytes must outlive the reader. Fields are returned as ranges, so that nothing is copied to be skipped.
struct WireReader {
    /// One field's number and wire type.
    struct Tag {
        let field: UInt64
        let type: UInt64

        static let varint: UInt64 = 0
        static let fixed64: UInt64 = 1
        static let lengthDelimited: UInt64 = 2
        static let fixed32: UInt64 = 5
    }

    private let bytes: UnsafeRawBufferPointer
    private var at: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes, 0..<bytes.count) }

    /// Reads within `range`, clamped to the bytes.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        let clamped = range.clamped(to: 0..<bytes.count)
        (at, end) = (clamped.lowerBound, clamped.upperBound)
    }

    /// The next field's tag, or nil at the end.
    mutating func tag() throws(GoAwayReason) -> Tag? {
        guard at < end else { return nil }
        let key = try varint()
        let tag = Tag(field: key >> 3, type: key & 7)
        // Protocol Buffers, "Assigning Field Numbers": 1 to 2^29 - 1.
        guard tag.field > 0, tag.field < 1 << 29 else { throw .undecodableFrame }
        return tag
    }

    /// Base 128, least significant group first, at most 10 bytes and 64 bits.
    mutating func varint() throws(GoAwayReason) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while at < end {
            let byte = bytes[at]
            at += 1
            guard shift < 63 || byte <= 1 else { throw .undecodableFrame }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .undecodableFrame
    }

    /// The range of a length-delimited field's bytes.
    mutating func range() throws(GoAwayReason) -> Range<Int> {
        guard let length = Int(exactly: try varint()), length <= end - at else { throw .undecodableFrame }
        defer { at += length }
        return at..<at + length
    }

    /// The same for a field that must not be given twice, because two readers could take different ones.
    mutating func range(insteadOf earlier: Range<Int>) throws(GoAwayReason) -> Range<Int> {
        guard earlier.isEmpty else { throw .undecodableFrame }
        return try range()
    }

    /// The text of a length-delimited field. proto3 strings are UTF-8.
    mutating func string() throws(GoAwayReason) -> String {
        guard let text = Self.string(bytes, try range()) else { throw .undecodableFrame }
        return text
    }

    /// Skips an unknown field. Throws for a group, which proto3 does not have.
    mutating func skip(_ tag: Tag) throws(GoAwayReason) {
        switch tag.type {
        case Tag.varint: _ = try varint()
        case Tag.fixed64: try skip(bytes: 8)
        case Tag.lengthDelimited: _ = try range()
        case Tag.fixed32: try skip(bytes: 4)
        default: throw .undecodableFrame
        }
    }

    private mutating func skip(bytes count: Int) throws(GoAwayReason) {
        guard count <= end - at else { throw .undecodableFrame }
        at += count
    }

    /// The text in a range that ``range()`` returned; nil if it is not UTF-8.
    static func string(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String? {
        String(validating: bytes[range], as: UTF8.self)
    }
}
