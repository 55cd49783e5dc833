/// Reads a protobuf message field by field, without building it. Fields that nobody asks about are skipped, as proto3
/// has it; what is no message is an error.
///
/// The counterpart of ``ProtobufWriter``, for the one request that comes with every upload. It cannot trap, and a test
/// compares it with the generated code.
struct ProtobufReader {
    struct Malformed: Error {}

    /// A field's number and value. Values of fixed width are skipped: no message that is read here has any.
    enum Field {
        case varint(Int, UInt64)
        case bytes(Int, ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next field; `nil` at the end.
    mutating func next() throws(Malformed) -> Field? {
        while !rest.isEmpty {
            let tag = try varint()
            guard tag <= UInt32.max, let number = Int(exactly: tag >> 3), number > 0 else { throw Malformed() }
            switch tag & 7 {
            case 0: return .varint(number, try varint())
            case 1: _ = try take(8)
            case 2:
                guard let length = Int(exactly: try varint()) else { throw Malformed() }
                return .bytes(number, try take(length))
            case 5: _ = try take(4)
            // Groups are of proto2; nobody sends them.
            default: throw Malformed()
            }
        }
        return nil
    }

    private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// At most 10 bytes; bits beyond 64 are dropped, as protobuf drops them.
    private mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, through: 63, by: 7) {
            guard let byte = rest.popFirst() else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte & 0x80 == 0 { return value }
        }
        throw Malformed()
    }
}
