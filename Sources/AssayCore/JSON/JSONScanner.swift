/// Why a text is not JSON.
package struct JSONProblem: Error, Hashable, Sendable {
    /// What is wrong. Holds no part of the text.
    package let description: String
    /// An index of the text that was read.
    package let index: Int
}

/// The tokens of strict JSON (RFC 8259), read one after the other: for readers that know which ones may follow. ``JSONReader`` is the one that
/// reads any value.
///
/// It goes forward only and cannot trap. It does not nest; its users limit how deep they follow objects and lists.
package struct JSONScanner {
    /// The byte that a lenient scanner writes in place of an unreadable part of a text. It does not occur in UTF-8.
    private static let unreadableByte: UInt8 = 0xFF

    private let document: ArraySlice<UInt8>
    /// Of the next byte.
    package private(set) var index: Int
    private let isLenient: Bool

    package init(_ document: ArraySlice<UInt8>) { self.init(document, isLenient: false) }

    /// - Parameter isLenient: see ``JSONReader/parseLenient(_:code:)``.
    init(_ document: ArraySlice<UInt8>, isLenient: Bool) {
        (self.document, index, self.isLenient) = (document, document.startIndex, isLenient)
    }

    /// The byte that the next token begins with, behind any white space; `nil` at the end.
    package mutating func first() -> UInt8? {
        while let byte = peek {
            guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
            index += 1
        }
        return nil
    }

    /// Takes one of `{}[]:,` behind any white space, if it is what follows.
    package mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard let byte = first(), UInt32(byte) == mark.value else { return false }
        index += 1
        return true
    }

    /// Takes `true`, `false` or `null`. The caller refuses what may not follow it.
    package mutating func word(_ word: StaticString) throws(JSONProblem) {
        _ = first()
        guard word.withUTF8Buffer({ document[index...].starts(with: $0) }) else { throw problem("want a value") }
        index += word.utf8CodeUnitCount
    }

    /// A number as it is written. The caller refuses what may not follow it.
    ///
    /// RFC 8259 §6: `-`, an integer without leading zeros, a fraction, an exponent; all but the integer are optional.
    package mutating func number() throws(JSONProblem) -> ArraySlice<UInt8> {
        _ = first()
        let start = index
        _ = next("-")
        if !next("0") { try digits(orReport: "want a value") }
        if next(".") { try digits() }
        if next("e") || next("E") {
            if !next("+") { _ = next("-") }
            try digits()
        }
        return document[start..<index]
    }

    /// A string's UTF-8, with its escapes undone. A lenient scanner returns other bytes for a text that cannot be read.
    package mutating func string() throws(JSONProblem) -> ArraySlice<UInt8> {
        guard take("\"") else { throw problem("want a string") }
        let start = index
        let isASCII = skipPlain()
        // Most texts have no escape: they are a part of the document.
        guard peek == UInt8(ascii: "\"") else { return try escaped(from: start) }
        defer { index += 1 }
        let text = document[start..<index]
        guard isASCII || isLenient || Self.isUTF8(text) else { throw problem("a string is not UTF-8") }
        return text
    }

    /// Throws if anything but white space follows.
    package mutating func end() throws(JSONProblem) {
        guard first() == nil else { throw problem("bytes after the end") }
    }

    package func problem(_ description: String) -> JSONProblem { JSONProblem(description: description, index: index) }

    // MARK: Texts

    /// Goes to the next quotation mark, backslash or control character. Returns whether all before it are ASCII.
    private mutating func skipPlain() -> Bool {
        let (count, isASCII) = document[index...].withUnsafeBytes { Self.plain($0) }
        index += count
        return isASCII
    }

    /// How many bytes are before the first quotation mark, backslash or control character, and whether they are ASCII.
    private static func plain(_ bytes: UnsafeRawBufferPointer) -> (count: Int, isASCII: Bool) {
        var (count, seen) = (0, UInt64(0))
        // Eight at a time: of eight bytes that are subtracted from at once, those that borrow have their high bit set, or follow one that has.
        let (ones, highs) = (UInt64(0x0101_0101_0101_0101), UInt64(0x8080_8080_8080_8080))
        while count + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: count, as: UInt64.self)
            let (quotes, backslashes) = (word ^ ones &* 0x22, word ^ ones &* 0x5C)
            let found = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word
            guard found & highs == 0 else { break }
            seen |= word & highs
            count += 8
        }
        while count < bytes.count {
            let byte = bytes[count]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            seen |= UInt64(byte) & 0x80
            count += 1
        }
        return (count, seen == 0)
    }

    /// A string in which something is not plain, from its beginning.
    private mutating func escaped(from start: Int) throws(JSONProblem) -> ArraySlice<UInt8> {
        index = start
        var text: [UInt8] = []
        while true {
            let plain = index
            _ = skipPlain()
            text += document[plain..<index]
            guard let byte = peek else { throw problem("a string does not end") }
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard isLenient || Self.isUTF8(text[...]) else { throw problem("a string is not UTF-8") }
                return text[...]
            case UInt8(ascii: "\\"): try escape(into: &text)
            default: try unreadable("a control character in a string", in: &text)
            }
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONProblem) {
        let byte = peek
        if byte != nil { index += 1 }
        switch byte {
        case UInt8(ascii: "\""): text.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): text.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): try scalar(into: &text)
        default: try unreadable("an unknown escape", in: &text)
        }
    }

    /// The scalar after `\u`: four hex digits, or two escapes that are a pair of surrogates. What follows a lone one is read by itself.
    private mutating func scalar(into text: inout [UInt8]) throws(JSONProblem) {
        guard let first = fourDigits() else { return try unreadable("an escape without four hex digits", in: &text) }
        let after = index
        var number = first
        if (0xD800..<0xDC00).contains(first), next("\\"), next("u"), let second = fourDigits(),
            (0xDC00..<0xE000).contains(second)
        {
            number = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        } else {
            index = after
        }
        guard let scalar = Unicode.Scalar(number) else { return try unreadable("a lone surrogate", in: &text) }
        text += String(scalar).utf8
    }

    /// `nil` if there are not four hex digits; then nothing is read.
    private mutating func fourDigits() -> UInt32? {
        let digits = document[index...].prefix(4)
        guard digits.count == 4, let pair = Hex.decode(String(decoding: digits, as: UTF8.self)), pair.count == 2 else {
            return nil
        }
        index += 4
        return pair.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Refuses a text, or marks it if the scanner is lenient: where it ends is clear all the same.
    private func unreadable(_ what: String, in text: inout [UInt8]) throws(JSONProblem) {
        guard isLenient else { throw problem(what) }
        text.append(Self.unreadableByte)
    }

    private static func isUTF8(_ text: ArraySlice<UInt8>) -> Bool { String(validating: text, as: UTF8.self) != nil }

    // MARK: Bytes

    private var peek: UInt8? { index < document.endIndex ? document[index] : nil }

    /// Takes a character that follows immediately.
    private mutating func next(_ character: Unicode.Scalar) -> Bool {
        guard let byte = peek, UInt32(byte) == character.value else { return false }
        index += 1
        return true
    }

    /// One or more digits.
    private mutating func digits(orReport words: String = "want a digit") throws(JSONProblem) {
        let start = index
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw problem(words) }
    }
}
