package import AssayCore

/// Strict DER (X.690 §10): definite lengths in their shortest form, tags in their shortest form. The scope of a structure
/// throws if bytes are left over in it. It descends only as deep as its caller does, so nothing here recurses.
package struct DERReader: Sendable {
    private var cursor: ByteCursor

    package init(_ bytes: ArraySlice<UInt8>, code: ReasonCode) { cursor = ByteCursor(bytes, code: code) }

    /// Reads bytes that `body` must consume entirely.
    package static func parse<T>(
        _ bytes: ArraySlice<UInt8>, code: ReasonCode, _ body: (inout DERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        var reader = DERReader(bytes, code: code)
        let value = try body(&reader)
        try reader.cursor.finish("the structure")
        return value
    }

    package var isAtEnd: Bool { cursor.isAtEnd }
    package var code: ReasonCode { cursor.code }

    /// Throws if bytes are left over, for a reader that was not opened by `parse` or `scope`.
    package func finish(_ what: @autoclosure () -> String) throws(Rejection) { try cursor.finish(what()) }

    package func rejection(_ detail: String) -> Rejection { cursor.rejection(detail) }

    /// The next element of any tag.
    package mutating func element() throws(Rejection) -> DERElement {
        let start = cursor.index
        let tag = try cursor.tag()
        let content = try cursor.take(try length())
        return DERElement(tag: tag, content: content, encoded: cursor.bytes(since: start))
    }

    /// The next element, which must have this tag.
    package mutating func element(_ tag: DERTag) throws(Rejection) -> DERElement {
        let element = try element()
        guard element.tag == tag else { throw rejection("want \(tag), have \(element.tag)") }
        return element
    }

    /// The next element if it has this tag.
    package mutating func optional(_ tag: DERTag) throws(Rejection) -> DERElement? {
        guard !isAtEnd else { return nil }
        var ahead = self
        let element = try ahead.element()
        guard element.tag == tag else { return nil }
        self = ahead
        return element
    }

    /// Enters the next element, which must have this tag; `body` must read all of it.
    package mutating func scope<T>(
        _ tag: DERTag, _ body: (inout DERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        try DERReader.parse(try element(tag).content, code: cursor.code, body)
    }

    package mutating func sequence<T>(_ body: (inout DERReader) throws(Rejection) -> T) throws(Rejection) -> T {
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
