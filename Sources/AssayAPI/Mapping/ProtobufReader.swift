/// Reads a protobuf message field by field, without building it. Bytes that are not a message are an error; the reader of each message
/// decides which unknown fields it skips, as proto3 does, and which it refuses.
///
/// The counterpart of ``ProtobufWriter``, for the request of the hot path. It cannot trap, and a test compares it with the generated
/// code.
struct ProtobufReader {
    /// The bytes are not a message, or break a rule of the API that only the bytes show.
    struct Malformed: Error {
        var problem: RequestError?
        init(_ problem: RequestError? = nil) { self.problem = problem }
    }

    /// A field's number and value. No message that is read here has known fields of fixed width.
    enum Field {
        case varint(Int, UInt64)
        case bytes(Int, ArraySlice<UInt8>)
        case fixed(Int)

        var number: Int {
            switch self {
            case .varint(let number, _), .bytes(let number, _), .fixed(let number): number
            }
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next field; `nil` at the end.
    mutating func next() throws(Malformed) -> Field? {
        guard !rest.isEmpty else { return nil }
        let tag = try varint()
        guard tag <= UInt32.max, let number = Int(exactly: tag >> 3), number > 0 else { throw Malformed() }
        switch tag & 7 {
        case 0: return .varint(number, try varint())
        case 1:
            _ = try take(8)
            return .fixed(number)
        case 2:
            guard let length = Int(exactly: try varint()) else { throw Malformed() }
            return .bytes(number, try take(length))
        case 5:
            _ = try take(4)
            return .fixed(number)
        // Groups belong to proto2 and are never sent.
        default: throw Malformed()
        }
    }

    private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// At most 10 bytes; bits above 64 are dropped, as protobuf does.
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
