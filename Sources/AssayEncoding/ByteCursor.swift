public import AssayCore

/// A forward-only reader over bytes from outside. It cannot trap: short input throws.
///
/// It reads a slice of the received bytes and returns slices of the same storage, so nothing is copied.
public struct ByteCursor: Sendable {
    /// The reason code for short or surplus input. The structure that is read determines it, not the reader.
    public let code: ReasonCode
    @usableFromInline let bytes: ArraySlice<UInt8>
    @usableFromInline var position: Int

    @inlinable
    public init(_ bytes: ArraySlice<UInt8>, code: ReasonCode) {
        self.code = code
        self.bytes = bytes
        position = bytes.startIndex
    }

    @inlinable public var remaining: Int { bytes.endIndex - position }
    @inlinable public var isAtEnd: Bool { position == bytes.endIndex }
    /// The bytes that have not been read yet.
    package var rest: ArraySlice<UInt8> { bytes[position...] }
    /// The index of the next byte in the original bytes.
    package var index: Int { position }
    /// The next byte, not consumed.
    package var next: UInt8? { isAtEnd ? nil : bytes[position] }

    package mutating func byte() throws(Rejection) -> UInt8 {
        guard position < bytes.endIndex else { throw rejection("the bytes end too early") }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func take(_ count: Int) throws(Rejection) -> ArraySlice<UInt8> {
        let start = position
        try skip(count)
        return bytes[start..<position]
    }

    package mutating func skip(_ count: Int) throws(Rejection) {
        guard count >= 0, count <= remaining else { throw rejection("want \(count) bytes, have \(remaining)") }
        position += count
    }

    /// The bytes from `start` to the cursor; empty if the cursor is not past `start`.
    package func bytes(since start: Int) -> ArraySlice<UInt8> {
        guard start >= bytes.startIndex, start <= position else { return bytes[position..<position] }
        return bytes[start..<position]
    }

    /// A big-endian unsigned integer of `count` bytes, at most 8.
    package mutating func bigEndian(_ count: Int) throws(Rejection) -> UInt64 {
        guard count <= 8 else { throw rejection("an integer of \(count) bytes") }
        var value: UInt64 = 0
        for byte in try take(count) { value = value << 8 | UInt64(byte) }
        return value
    }

    /// Throws if bytes are left over.
    @inlinable
    public func finish(_ what: @autoclosure () -> String) throws(Rejection) {
        guard isAtEnd else { throw rejection("\(remaining) bytes left over after \(what())") }
    }

    public func rejection(_ detail: String) -> Rejection { rejection(detail, at: position) }

    /// - Parameter index: of the byte that the rejection is about.
    package func rejection(_ detail: String, at index: Int) -> Rejection { Rejection(code, detail, offset: index) }
}
