public import AssayCore

/// BER (X.690 §8) for what is written in it: CMS. As strict as DER but for three named leniencies, which BER grants and
/// genuine writers use:
///
/// - *indefinite length* of a constructed element, closed by end-of-contents octets;
/// - *long length*: a definite length in more octets than it needs, four at most;
/// - *octet strings in pieces*, one level deep.
///
/// Bounded: open indefinite lengths, elements on the way to their end and pieces of a string are counted. Descends only as
/// deep as its caller does, so nothing here recurses; the work is at most the input's length for each level of its caller.
public struct BERReader: Sendable {
    /// Nesting depth of indefinite lengths. Receipts have five.
    package static let nestingLimit = 16
    /// Elements that are skipped in the search for the end of an indefinite length. Receipts have about fifteen, since a
    /// certificate has a definite length and counts once.
    package static let elementLimit = 1024
    /// Pieces of one octet string. Receipts have two, of 1000 bytes and the rest.
    package static let pieceLimit = 256

    @usableFromInline var cursor: ByteCursor

    @inlinable
    public init(_ bytes: ArraySlice<UInt8>, code: ReasonCode) { cursor = ByteCursor(bytes, code: code) }

    /// Reads bytes that `body` must consume entirely.
    @inlinable
    public static func parse<T>(
        _ bytes: ArraySlice<UInt8>, code: ReasonCode, _ body: (inout BERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        var reader = BERReader(bytes, code: code)
        let value = try body(&reader)
        try reader.cursor.finish("the structure")
        return value
    }

    @inlinable public var isAtEnd: Bool { cursor.isAtEnd }
    @inlinable public var code: ReasonCode { cursor.code }

    package func rejection(_ detail: String) -> Rejection { cursor.rejection(detail) }

    /// The next element of any tag.
    package mutating func element() throws(Rejection) -> BERElement {
        let start = cursor.index
        let tag = try cursor.tag()
        guard tag != .endOfContents else { throw rejection("end-of-contents where no length is open") }
        let length = try length(of: tag)
        let contentStart = cursor.index
        if let length {
            let content = try cursor.take(length)
            return BERElement(tag: tag, content: content, encoded: cursor.bytes(since: start))
        }
        try skipToEndOfContents()
        let content = cursor.bytes(since: contentStart).dropLast(2)
        return BERElement(tag: tag, content: content, encoded: cursor.bytes(since: start))
    }

    /// The next element, which must have this tag.
    public mutating func element(_ tag: DERTag) throws(Rejection) -> BERElement {
        let start = cursor
        guard !isAtEnd else { throw rejection("\(tag.withArticle) is missing") }
        let element = try element()
        guard element.tag == tag else {
            throw start.rejection("\(element.tag.withArticle) where \(tag.withArticle) is due")
        }
        return element
    }

    /// Reads a field whose name stands before the sentence of its rejections.
    @inlinable
    public mutating func field<T>(
        _ name: @autoclosure () -> String, _ read: (inout BERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        do throws(Rejection) { return try read(&self) } catch { throw error.at(name()) }
    }

    /// The next element if it has this tag.
    package mutating func optional(_ tag: DERTag) throws(Rejection) -> BERElement? {
        guard !isAtEnd else { return nil }
        var ahead = self
        let element = try ahead.element()
        guard element.tag == tag else { return nil }
        self = ahead
        return element
    }

    /// Enters the next element, which must have this tag; `body` must read all of it.
    @inlinable
    public mutating func scope<T>(
        _ tag: DERTag, _ body: (inout BERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        try BERReader.parse(try element(tag).content, code: code, body)
    }

    @inlinable
    public mutating func sequence<T>(_ body: (inout BERReader) throws(Rejection) -> T) throws(Rejection) -> T {
        try scope(.sequence, body)
    }

    /// An OCTET STRING, whole or in pieces. A whole one is a slice of the original bytes; pieces are joined.
    package mutating func octetString() throws(Rejection) -> ArraySlice<UInt8> {
        let element = try element()
        if element.tag == .octetString { return element.content }
        guard element.tag == .constructedOctetString else {
            throw rejection("\(element.tag.withArticle) where an OCTET STRING is due")
        }
        var joined: [UInt8] = []
        joined.reserveCapacity(element.content.count)
        var pieces = BERReader(element.content, code: code)
        var count = 0
        while !pieces.isAtEnd {
            guard count < Self.pieceLimit else { throw rejection("an OCTET STRING of more than \(Self.pieceLimit) pieces") }
            joined += try pieces.element(.octetString).content
            count += 1
        }
        return joined[...]
    }

    // MARK: Length octets

    /// X.690 §8.1.3, at most four octets of length; `nil` if it is indefinite.
    private mutating func length(of tag: DERTag) throws(Rejection) -> Int? {
        let first = try cursor.byte()
        guard first >= 0x80 else { return Int(first) }
        if first == 0x80 {
            guard tag.isConstructed else { throw rejection("an indefinite length of an element that is not constructed") }
            return nil
        }
        let octets = Int(first & 0x7F)
        guard octets <= 4 else { throw rejection("a length of \(octets) octets") }
        guard let length = Int(exactly: try cursor.bigEndian(octets)) else { throw rejection("a length beyond memory") }
        return length
    }

    /// Moves past the end-of-contents octets of the open length.
    private mutating func skipToEndOfContents() throws(Rejection) {
        var open = 1
        var count = 0
        while open > 0 {
            count += 1
            guard count <= Self.elementLimit else { throw rejection("more than \(Self.elementLimit) elements") }
            let tag = try cursor.tag()
            if tag == .endOfContents {
                guard try cursor.byte() == 0 else { throw rejection("end-of-contents with content") }
                open -= 1
            } else if let length = try length(of: tag) {
                _ = try cursor.take(length)
            } else {
                open += 1
                guard open <= Self.nestingLimit else { throw rejection("more than \(Self.nestingLimit) indefinite lengths") }
            }
        }
    }
}

/// One element of BER, as a slice of the original bytes.
public struct BERElement: Sendable {
    public let tag: DERTag
    /// Without the end-of-contents octets of an indefinite length.
    public let content: ArraySlice<UInt8>
    /// Identifier, length, content, and the end-of-contents octets if there are any.
    public let encoded: ArraySlice<UInt8>
}
