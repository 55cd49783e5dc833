/// Reads one text member of a JSON object (RFC 8259) strictly: the whole document must be well formed, and no object on
/// the way to the member may hold a name twice, since other parsers may choose the other one.
///
/// A forward-only reader that cannot trap. Names and values are compared as bytes after escapes are undone.
struct JSONMember {
    /// The deepest nesting that is read; client data has two or three levels.
    static let depthLimit = 32

    private var rest: ArraySlice<UInt8>

    /// The bytes of the text at `path`, escapes undone.
    /// Throws `client_data_mismatch` if the document is not strict JSON or has no text there.
    static func text(at path: [String], in document: [UInt8]) throws(Rejection) -> [UInt8] {
        var reader = JSONMember(rest: document[...])
        let found = try reader.value(path.map { Array($0.utf8) }[...], depth: 0)
        reader.skipSpace()
        guard reader.rest.isEmpty else { throw malformed("bytes after the end") }
        guard let found else {
            throw Rejection(.clientDataMismatch, "client data has no text at \(path.joined(separator: "."))")
        }
        return found
    }

    /// Reads one value; returns the text at `path` inside it. A `nil` path means that nothing is looked for in it.
    private mutating func value(_ path: ArraySlice<[UInt8]>?, depth: Int) throws(Rejection) -> [UInt8]? {
        guard depth < Self.depthLimit else { throw Self.malformed("nested deeper than \(Self.depthLimit)") }
        skipSpace()
        switch rest.first {
        case UInt8(ascii: "{"): return try object(path, depth: depth)
        case UInt8(ascii: "["):
            try array(depth: depth)
            return nil
        case UInt8(ascii: "\""):
            let text = try string()
            return path?.isEmpty == true ? text : nil
        default:
            try literal()
            return nil
        }
    }

    private mutating func object(_ path: ArraySlice<[UInt8]>?, depth: Int) throws(Rejection) -> [UInt8]? {
        rest = rest.dropFirst()
        var names: Set<[UInt8]> = []
        var found: [UInt8]?
        skipSpace()
        if take("}") { return nil }
        repeat {
            skipSpace()
            let name = try string()
            guard names.insert(name).inserted else { throw Self.malformed("an object holds a name twice") }
            skipSpace()
            guard take(":") else { throw Self.malformed("want a colon") }
            let here = path?.first == name ? path?.dropFirst() : nil
            let text = try value(here, depth: depth + 1)
            found = found ?? text
            skipSpace()
        } while take(",")
        guard take("}") else { throw Self.malformed("an object does not end") }
        return found
    }

    private mutating func array(depth: Int) throws(Rejection) {
        rest = rest.dropFirst()
        skipSpace()
        if take("]") { return }
        repeat {
            _ = try value(nil, depth: depth + 1)
            skipSpace()
        } while take(",")
        guard take("]") else { throw Self.malformed("an array does not end") }
    }

    private mutating func string() throws(Rejection) -> [UInt8] {
        guard take("\"") else { throw Self.malformed("want a string") }
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                guard let valid = String(validating: text, as: UTF8.self) else { throw Self.malformed("a string is not UTF-8") }
                return Array(valid.utf8)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw Self.malformed("a control character in a string")
            default: text.append(byte)
            }
        }
        throw Self.malformed("a string does not end")
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
        case UInt8(ascii: "u"): text += try scalar().utf8
        default: throw Self.malformed("an unknown escape")
        }
    }

    private mutating func scalar() throws(Rejection) -> String {
        let first = try fourDigits()
        guard (0xD800..<0xDC00).contains(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw Self.malformed("a lone surrogate") }
            return String(scalar)
        }
        guard take("\\"), take("u") else { throw Self.malformed("a lone surrogate") }
        let second = try fourDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw Self.malformed("a lone surrogate") }
        return String(scalar)
    }

    private mutating func fourDigits() throws(Rejection) -> UInt32 {
        guard rest.count >= 4, let pair = Hex.decode(String(decoding: rest.prefix(4), as: UTF8.self)), pair.count == 2 else {
            throw Self.malformed("an escape without four hex digits")
        }
        rest = rest.dropFirst(4)
        return pair.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// `true`, `false`, `null` or a number. What may not follow it is refused by whoever reads on.
    private mutating func literal() throws(Rejection) {
        switch rest.first {
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
    }

    private mutating func word(_ word: String) throws(Rejection) {
        guard rest.starts(with: word.utf8) else { throw Self.malformed("want a value") }
        rest = rest.dropFirst(word.utf8.count)
    }

    /// RFC 8259 §6: `-`, an integer without leading zeros, a fraction, an exponent; all but the integer may be left out.
    private mutating func number() throws(Rejection) {
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        guard take("e") || take("E") else { return }
        if !take("+") { _ = take("-") }
        try digits()
    }

    /// One digit or more.
    private mutating func digits() throws(Rejection) {
        let end = rest.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard end.count < rest.count else { throw Self.malformed("want a value, or another digit of a number") }
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

    private static func malformed(_ what: String) -> Rejection {
        Rejection(.clientDataMismatch, "client data is not strict JSON: \(what)")
    }
}
