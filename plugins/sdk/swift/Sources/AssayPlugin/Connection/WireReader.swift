/// Reads the fields of one protobuf message. Nothing here traps: what cannot be read throws.
struct WireReader {
    struct Undecodable: Error {}

    enum Value {
        case varint(UInt64)
        case bytes(Range<Int>)
        /// Of 4 or 8 bytes, which nothing here needs.
        case fixed
    }

    let bytes: [UInt8]
    private var at: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        (at, end) = (range.lowerBound, range.upperBound)
    }

    /// The next field and its number; `nil` at the end.
    mutating func next() throws(Undecodable) -> (number: UInt64, value: Value)? {
        guard at < end else { return nil }
        let key = try varint()
        guard key >> 3 != 0, key <= UInt64(UInt32.max) else { throw Undecodable() }
        switch key & 7 {
        case 0: return (key >> 3, .varint(try varint()))
        case 1: return (key >> 3, try skip(8))
        case 2: return (key >> 3, .bytes(try range()))
        case 5: return (key >> 3, try skip(4))
        default: throw Undecodable()  // a group
        }
    }

    private mutating func varint() throws(Undecodable) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard at < end else { throw Undecodable() }
            let byte = bytes[at]
            at += 1
            guard shift < 63 || byte <= 1 else { throw Undecodable() }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        throw Undecodable()
    }

    private mutating func range() throws(Undecodable) -> Range<Int> {
        guard let size = Int(exactly: try varint()), size <= end - at else { throw Undecodable() }
        defer { at += size }
        return at..<at + size
    }

    private mutating func skip(_ size: Int) throws(Undecodable) -> Value {
        guard size <= end - at else { throw Undecodable() }
        at += size
        return .fixed
    }
}

extension WireReader {
    /// How many fields a message has, with those of the messages in its fields `nested`. The count ends soon above `limit`.
    static func fieldCount(_ bytes: [UInt8], nested: Set<UInt64>, limit: Int) throws(Undecodable) -> Int {
        var whole = WireReader(bytes, bytes.indices)
        var count = 0
        while count <= limit, let field = try whole.next() {
            count += 1
            guard nested.contains(field.number), case .bytes(let range) = field.value else { continue }
            var inner = WireReader(bytes, range)
            while count <= limit, try inner.next() != nil { count += 1 }
        }
        return count
    }
}
