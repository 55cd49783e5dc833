public import AssayCore

/// Strict DER (X.690 §10): definite lengths in their shortest form, tags in their shortest form. The scope of a structure
/// throws if bytes are left over in it. It descends only as deep as its caller does, so nothing here recurses.
///
/// What is generic is inlined where it is used: a certificate has some fifty fields, each of another type. It is `public`, though no product offers
/// this module, because Swift 6.3 does not inline `package` functions across modules, and calls generic ones without specialising them.
public struct DERReader: Sendable {
    @usableFromInline var cursor: ByteCursor

    @inlinable
    public init(_ bytes: ArraySlice<UInt8>, code: ReasonCode) { cursor = ByteCursor(bytes, code: code) }

    /// Reads bytes that `body` must consume entirely.
    @inlinable
    public static func parse<T>(
        _ bytes: ArraySlice<UInt8>, code: ReasonCode, _ body: (inout DERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        var reader = DERReader(bytes, code: code)
        let value = try body(&reader)
        try reader.cursor.finish("the structure")
        return value
    }

    @inlinable public var isAtEnd: Bool { cursor.isAtEnd }
    @inlinable public var code: ReasonCode { cursor.code }

    /// Throws if bytes are left over, for a reader that was not opened by `parse` or `scope`.
    package func finish(_ what: @autoclosure () -> String) throws(Rejection) { try cursor.finish(what()) }

    package func rejection(_ detail: String) -> Rejection { cursor.rejection(detail) }

    /// The next element of any tag.
    package mutating func element() throws(Rejection) -> DERElement {
        let start = cursor.position
        let (tag, contentStart) = try skipElement()
        return DERElement(tag: tag, encoded: cursor.bytes(since: start), contentStart: contentStart)
    }

    /// The next element, which must have this tag.
    package mutating func element(_ tag: DERTag) throws(Rejection) -> DERElement {
        let start = cursor.position
        let contentStart = try skip(tag)
        return DERElement(tag: tag, encoded: cursor.bytes(since: start), contentStart: contentStart)
    }

    /// The content of the next element, which must have this tag.
    public mutating func content(_ tag: DERTag) throws(Rejection) -> ArraySlice<UInt8> {
        let start = try skip(tag)
        return cursor.bytes(since: start)
    }

    /// Goes past the next element, which must have this tag.
    ///
    /// - Returns: where its content begins.
    private mutating func skip(_ tag: DERTag) throws(Rejection) -> Int {
        let start = cursor.position
        guard !isAtEnd else { throw rejection("\(tag.withArticle) is missing") }
        let (found, contentStart) = try skipElement()
        guard found == tag else {
            throw cursor.rejection("\(found.withArticle) where \(tag.withArticle) is due", at: start)
        }
        return contentStart
    }

    /// Goes past the next element.
    private mutating func skipElement() throws(Rejection) -> (tag: DERTag, contentStart: Int) {
        let tag = try cursor.tag()
        let length = try length()
        let contentStart = cursor.position
        try cursor.skip(length)
        return (tag, contentStart)
    }

    /// Reads a field whose name stands before the sentence of its rejections.
    @inlinable
    public mutating func field<T>(
        _ name: @autoclosure () -> String, _ read: (inout DERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        do throws(Rejection) { return try read(&self) } catch { throw error.at(name()) }
    }

    /// The next element if it has this tag.
    package mutating func optional(_ tag: DERTag) throws(Rejection) -> DERElement? {
        guard !isAtEnd else { return nil }
        let start = cursor.position
        var element: DERElement?
        // Also after an element that cannot be read.
        defer { if element == nil { cursor.position = start } }
        let (found, contentStart) = try skipElement()
        if found == tag {
            element = DERElement(tag: tag, encoded: cursor.bytes(since: start), contentStart: contentStart)
        }
        return element
    }

    /// Enters the next element, which must have this tag; `body` must read all of it.
    @inlinable
    public mutating func scope<T>(
        _ tag: DERTag, _ body: (inout DERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        try DERReader.parse(try content(tag), code: cursor.code, body)
    }

    @inlinable
    public mutating func sequence<T>(_ body: (inout DERReader) throws(Rejection) -> T) throws(Rejection) -> T {
        try scope(.sequence, body)
    }

    // MARK: Length octets

    /// X.690 §8.1.3 and §10.1, at most four octets of length.
    private mutating func length() throws(Rejection) -> Int {
        let first = try cursor.byte()
        guard first >= 0x80 else { return Int(first) }
        guard first != 0x80 else { throw rejection("an indefinite length") }
        let octets = Int(first & 0x7F)
        guard octets <= 4 else { throw rejection("a length of \(octets) octets") }
        guard let length = Int(exactly: try cursor.bigEndian(octets)) else { throw rejection("a length beyond memory") }
        guard length >= 0x80, octets == 1 || length >> ((octets - 1) * 8) != 0 else {
            throw rejection("a length that is not in its shortest form")
        }
        return length
    }
}

/// One element of DER, as a slice of the original bytes. One slice: each holds on to the bytes by itself.
public struct DERElement: Sendable {
    public let tag: DERTag
    /// Identifier, length and content.
    public let encoded: ArraySlice<UInt8>
    /// An index of ``encoded``, or its end.
    @usableFromInline let contentStart: Int

    @inlinable public var content: ArraySlice<UInt8> { encoded[contentStart...] }
}

extension DERReader {
    /// The content of an INTEGER, two's complement, in its shortest form (X.690 §8.3).
    package mutating func integer() throws(Rejection) -> ArraySlice<UInt8> {
        let content = try content(.integer)
        try checkInteger(content)
        return content
    }

    /// A non-negative INTEGER of at most 63 bits.
    package mutating func smallInteger() throws(Rejection) -> Int {
        let content = try integer()
        guard let first = content.first, first & 0x80 == 0, content.count <= 8 else {
            throw rejection("an INTEGER that is negative or too large here")
        }
        return content.reduce(0) { $0 << 8 | Int($1) }
    }

    private func checkInteger(_ content: ArraySlice<UInt8>) throws(Rejection) {
        guard let first = content.first else { throw rejection("an INTEGER without content") }
        guard let second = content.dropFirst().first else { return }
        guard !(first == 0x00 && second & 0x80 == 0), !(first == 0xFF && second & 0x80 != 0) else {
            throw rejection("an INTEGER that is not in its shortest form")
        }
    }

    /// BOOLEAN: FF or 00 (X.690 §11.1).
    package mutating func boolean() throws(Rejection) -> Bool {
        let content = try content(.boolean)
        guard content.count == 1, let value = content.first, value == 0xFF || value == 0x00 else {
            throw rejection("a BOOLEAN that is neither FF nor 00")
        }
        return value == 0xFF
    }

    /// `BOOLEAN DEFAULT FALSE`: absent, or TRUE. FALSE written out is not DER (X.690 §11.5).
    package mutating func booleanDefaultFalse() throws(Rejection) -> Bool {
        guard let content = try optional(.boolean)?.content else { return false }
        guard content.count == 1, content.first == 0xFF else { throw rejection("a BOOLEAN that is neither FF nor left out") }
        return true
    }

    package mutating func objectIdentifier() throws(Rejection) -> OID {
        let content = try content(.objectIdentifier)
        guard let oid = OID(content: content) else { throw rejection("a malformed OBJECT IDENTIFIER") }
        return oid
    }

    package mutating func octetString() throws(Rejection) -> ArraySlice<UInt8> { try content(.octetString) }

    /// A BIT STRING of whole octets, such as keys and signatures.
    package mutating func bitString() throws(Rejection) -> ArraySlice<UInt8> {
        let content = try content(.bitString)
        guard content.first == 0 else { throw rejection("a BIT STRING that is not whole octets") }
        return content.dropFirst()
    }

    /// A BIT STRING of named bits, without trailing zero bits (X.690 §11.2.2), as octets; bit 0 is the top bit of the first.
    ///
    /// - Parameter allowsTrailingZeros: accept more bits than needed, as BER does.
    package mutating func namedBits(allowsTrailingZeros: Bool = false) throws(Rejection) -> ArraySlice<UInt8> {
        let content = try content(.bitString)
        guard let unused = content.first, unused < 8 else { throw rejection("a BIT STRING with a bad count of unused bits") }
        let bits = content.dropFirst()
        guard let last = bits.last else {
            guard unused == 0 else { throw rejection("an empty BIT STRING with unused bits") }
            return bits
        }
        guard last.trailingZeroBitCount == Int(unused) || allowsTrailingZeros && last.trailingZeroBitCount > Int(unused) else {
            throw rejection("named bits that are not in their shortest form")
        }
        return bits
    }
}
