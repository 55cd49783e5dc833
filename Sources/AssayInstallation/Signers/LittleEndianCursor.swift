/// A forward-only reader of the numbers and blocks of archives, which are little-endian. It cannot trap: short input throws.
struct LittleEndianCursor {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    /// What is read, for errors.
    let place: String

    init(_ bytes: ArraySlice<UInt8>, _ place: String) {
        (self.bytes, self.place, position) = (bytes, place, bytes.startIndex)
    }

    var remaining: Int { bytes.endIndex - position }
    var isAtEnd: Bool { remaining == 0 }

    mutating func take(_ count: Int) throws(SignerFileError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else { throw failure("want \(count) bytes, have \(remaining)") }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func skip(_ count: Int) throws(SignerFileError) { _ = try take(count) }

    /// An unsigned integer of `width` bytes, at most 8.
    mutating func number(_ width: Int) throws(SignerFileError) -> UInt64 {
        try take(min(width, 8)).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number that counts bytes or things.
    mutating func count(_ width: Int) throws(SignerFileError) -> Int {
        guard let value = Int(exactly: try number(width)) else { throw failure("a number beyond memory") }
        return value
    }

    /// Bytes behind their length in four bytes.
    mutating func block() throws(SignerFileError) -> ArraySlice<UInt8> { try take(try count(4)) }

    /// A cursor over the next block.
    mutating func inner(_ name: String) throws(SignerFileError) -> LittleEndianCursor {
        LittleEndianCursor(try block(), "\(place), \(name)")
    }

    func failure(_ what: String) -> SignerFileError { .malformed("\(place): \(what)") }
}
