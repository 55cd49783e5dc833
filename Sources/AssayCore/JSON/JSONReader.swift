/// Strict JSON (RFC 8259): one value and nothing after it, UTF-8, no lone surrogates, and no duplicate names in an object,
/// since other parsers may choose the other one. Everything else throws with the structure's code.
///
/// A forward-only reader that cannot trap. The caller limits the document's length, which bounds the memory.
package struct JSONReader {
    /// The deepest nesting; client data has two or three levels, a verdict of Play Integrity four.
    package static let depthLimit = 32

    /// The byte that a lenient reader writes in place of an unreadable part of a text. It does not occur in UTF-8.
    private static let unreadableByte: UInt8 = 0xFF

    private var rest: ArraySlice<UInt8>
    private let code: ReasonCode
    private let isLenient: Bool

    /// Reads exactly one value.
    package static func parse(_ document: ArraySlice<UInt8>, code: ReasonCode) throws(Rejection) -> JSONValue {
        try parse(JSONReader(rest: document, code: code, isLenient: false))
    }

    /// Reads bytes that are exactly one value, and does not refuse the document for two oddities that leave its structure clear. For
    /// lists in which one odd entry must not make the others unreadable; everything else is read by `parse`.
    ///
    /// - A name may occur several times in an object: all its members are kept, in order.
    /// - A text ends at the first quotation mark without a backslash before it. If the bytes between the marks are not UTF-8, or
    ///   have a lone surrogate, a control character or an unknown escape, the text's bytes are not UTF-8: the caller checks that.
    package static func parseLenient(_ document: ArraySlice<UInt8>, code: ReasonCode) throws(Rejection) -> JSONValue {
        try parse(JSONReader(rest: document, code: code, isLenient: true))
    }

    private static func parse(_ start: JSONReader) throws(Rejection) -> JSONValue {
        var reader = start
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.rest.isEmpty else { throw reader.malformed("bytes after the end") }
        return value
    }

    private mutating func value(depth: Int) throws(Rejection) -> JSONValue {
        guard depth < Self.depthLimit else { throw malformed("nested deeper than \(Self.depthLimit)") }
        skipSpace()
        switch rest.first {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(Rejection) -> JSONObject {
        rest = rest.dropFirst()
        var object = JSONObject()
        var names: Set<[UInt8]> = []
        skipSpace()
        if take("}") { return object }
        repeat {
            skipSpace()
            let name = try string()
            guard isLenient || names.insert(name).inserted else { throw malformed("an object holds a name twice") }
            skipSpace()
            guard take(":") else { throw malformed("want a colon") }
            object.add(name, try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("}") else { throw malformed("an object does not end") }
        return object
    }

    private mutating func array(depth: Int) throws(Rejection) -> [JSONValue] {
        rest = rest.dropFirst()
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return elements }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw malformed("an array does not end") }
        return elements
    }

    /// A string's UTF-8, unescaped. A lenient reader returns other bytes for a text that cannot be read.
    private mutating func string() throws(Rejection) -> [UInt8] {
        guard take("\"") else { throw malformed("want a string") }
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                if isLenient { return text }
                guard let valid = String(validating: text, as: UTF8.self) else { throw malformed("a string is not UTF-8") }
                return Array(valid.utf8)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: try unreadable("a control character in a string", in: &text)
            default: text.append(byte)
            }
        }
        throw malformed("a string does not end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(Rejection) {
        switch rest.popFirst() {
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
    private mutating func scalar(into text: inout [UInt8]) throws(Rejection) {
        guard let first = fourDigits() else { return try unreadable("an escape without four hex digits", in: &text) }
        let next = rest
        var number = first
        if (0xD800..<0xDC00).contains(first), take("\\"), take("u"), let second = fourDigits(),
            (0xDC00..<0xE000).contains(second)
        {
            number = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        } else {
            rest = next
        }
        guard let scalar = Unicode.Scalar(number) else { return try unreadable("a lone surrogate", in: &text) }
        text += String(scalar).utf8
    }

    /// `nil` if there are not four hex digits; then nothing is read.
    private mutating func fourDigits() -> UInt32? {
        guard rest.count >= 4, let pair = Hex.decode(String(decoding: rest.prefix(4), as: UTF8.self)), pair.count == 2 else {
            return nil
        }
        rest = rest.dropFirst(4)
        return pair.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Refuses a text, or marks it if the reader is lenient: where it ends is clear all the same.
    private func unreadable(_ what: String, in text: inout [UInt8]) throws(Rejection) {
        guard isLenient else { throw malformed(what) }
        text.append(Self.unreadableByte)
    }

    /// The caller refuses what may not follow a literal or a number.
    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Rejection) -> JSONValue {
        guard word.withUTF8Buffer({ rest.starts(with: $0) }) else { throw malformed("want a value") }
        rest = rest.dropFirst(word.utf8CodeUnitCount)
        return value
    }

    /// RFC 8259 §6: `-`, an integer without leading zeros, a fraction, an exponent; all but the integer are optional.
    private mutating func number() throws(Rejection) -> ArraySlice<UInt8> {
        let start = rest
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return start.prefix(start.count - rest.count)
    }

    /// One or more digits.
    private mutating func digits() throws(Rejection) {
        let end = rest.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard end.count < rest.count else { throw malformed("want a value, or another digit of a number") }
        rest = end
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    private func malformed(_ what: String) -> Rejection {
        Rejection(code, "not \(isLenient ? "" : "strict ")JSON: \(what)", offset: rest.startIndex)
    }
}

/// A JSON value as it was read. Names and texts are UTF-8 with escapes undone, and compared as bytes, never normalised. What
/// `JSONReader.parseLenient` returns may hold names and texts that are not UTF-8.
package enum JSONValue: Hashable, Sendable {
    case object(JSONObject)
    case array([JSONValue])
    case string([UInt8])
    /// As written in the document, in the form of RFC 8259 §6.
    case number(ArraySlice<UInt8>)
    case boolean(Bool)
    case null
}

/// The members of a JSON object, in order. No two have the same name, unless `JSONReader.parseLenient` read it.
package struct JSONObject: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package let name: [UInt8]
        package let value: JSONValue
        package init(name: [UInt8], value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    package private(set) var members: [Member] = []

    package init(_ members: [Member] = []) { self.members = members }

    mutating func add(_ name: [UInt8], _ value: JSONValue) { members.append(Member(name: name, value: value)) }

    /// The values of all members of that name, in order.
    package func all(_ name: some Collection<UInt8>) -> [JSONValue] {
        members.compactMap { $0.name.elementsEqual(name) ? $0.value : nil }
    }

    package subscript(name: some Collection<UInt8>) -> JSONValue? {
        members.first { $0.name.elementsEqual(name) }?.value
    }
}
