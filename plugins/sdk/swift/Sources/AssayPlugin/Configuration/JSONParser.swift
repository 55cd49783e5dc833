struct JSONParser {
    private let bytes: [UInt8]
    private var at = 0
    private var depthLeft: Int
    private var countLeft: Int

    init(_ bytes: [UInt8], depth: Int, count: Int) {
        self.bytes = bytes
        depthLeft = depth
        countLeft = count
    }

    mutating func parseDocument() throws(JSON.Failure) -> JSON {
        let value = try parseValue()
        skipSpace()
        guard at == bytes.count else { throw failure("nothing behind the value") }
        return value
    }

    private func failure(_ expected: String) -> JSON.Failure {
        JSON.Failure(offset: at, reason: "expected \(expected)")
    }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { at += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        at += 1
        return true
    }

    private mutating func parseValue() throws(JSON.Failure) -> JSON {
        skipSpace()
        guard countLeft > 0 else { throw failure("fewer values") }
        countLeft -= 1
        switch next {
        case UInt8(ascii: "{"): return .object(try parseMembers())
        case UInt8(ascii: "["): return .array(try parseElements())
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parseWord("true", .boolean(true))
        case UInt8(ascii: "f"): return try parseWord("false", .boolean(false))
        case UInt8(ascii: "n"): return try parseWord("null", .null)
        default: return .number(try parseNumber())
        }
    }

    private mutating func parseWord(_ word: StaticString, _ value: JSON) throws(JSON.Failure) -> JSON {
        let isThere = word.withUTF8Buffer { bytes[at...].starts(with: $0) }
        guard isThere else { throw failure("a value") }
        at += word.utf8CodeUnitCount
        return value
    }
}

// MARK: Arrays and objects

extension JSONParser {
    /// Calls `parse` for each element between the bracket that is next and `end`.
    private mutating func parseList(until end: UInt8, _ parse: (inout JSONParser) throws(JSON.Failure) -> Void) throws(JSON
        .Failure)
    {
        guard depthLeft > 0 else { throw failure("less nesting") }
        depthLeft -= 1
        defer { depthLeft += 1 }
        at += 1
        skipSpace()
        if take(end) { return }
        repeat {
            try parse(&self)
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(end) else { throw failure("a comma or the end of the list or object") }
    }

    private mutating func parseElements() throws(JSON.Failure) -> [JSON] {
        var elements: [JSON] = []
        try parseList(until: UInt8(ascii: "]")) { parser throws(JSON.Failure) in elements.append(try parser.parseValue()) }
        return elements
    }

    private mutating func parseMembers() throws(JSON.Failure) -> [JSON.Member] {
        var members: [JSON.Member] = []
        // By bytes: a set of String would take other characters for the same.
        var names: Set<[UInt8]> = []
        try parseList(until: UInt8(ascii: "}")) { parser throws(JSON.Failure) in
            parser.skipSpace()
            guard parser.next == UInt8(ascii: "\"") else { throw parser.failure("a member's name in quotes") }
            let name = try parser.parseString()
            guard names.insert(Array(name.utf8)).inserted else { throw parser.failure("each member once") }
            parser.skipSpace()
            guard parser.take(UInt8(ascii: ":")) else { throw parser.failure("a colon") }
            members.append(JSON.Member(name: name, value: try parser.parseValue()))
        }
        return members
    }
}

// MARK: Numbers and strings

extension JSONParser {
    private mutating func parseNumber() throws(JSON.Failure) -> String {
        let start = at
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try parseDigits() }
        if take(UInt8(ascii: ".")) { try parseDigits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
            try parseDigits()
        }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func parseDigits() throws(JSON.Failure) {
        let start = at
        while let byte = next, Text.isDigit(byte) { at += 1 }
        guard at > start else { throw failure(start == 0 || at == bytes.count ? "a value" : "a digit") }
    }

    private mutating func parseString() throws(JSON.Failure) -> String {
        at += 1
        var text: [UInt8] = []
        while true {
            let start = at
            while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { at += 1 }
            text += bytes[start..<at]
            if take(UInt8(ascii: "\"")) { break }
            guard take(UInt8(ascii: "\\")) else { throw failure("the end of the string, and no control character in it") }
            try parseEscape(into: &text)
        }
        guard let text = String(validating: text, as: UTF8.self) else { throw failure("UTF-8") }
        return text
    }

    private mutating func parseEscape(into text: inout [UInt8]) throws(JSON.Failure) {
        guard let byte = next else { throw failure("an escape") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += Array(String(Character(try parseCharacter())).utf8)
        default: throw failure("an escape")
        }
    }

    /// The character of one `\u`, or of two that are a surrogate pair.
    private mutating func parseCharacter() throws(JSON.Failure) -> Unicode.Scalar {
        let high = try parseUnit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xdc00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw failure("a surrogate pair") }
        let low = try parseUnit()
        guard (0xdc00...0xdfff).contains(low), let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
        else { throw failure("a surrogate pair") }
        return scalar
    }

    private mutating func parseUnit() throws(JSON.Failure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Bytes.digit(byte) else { throw failure("four hex digits") }
            unit = unit << 4 | UInt32(digit)
            at += 1
        }
        return unit
    }
}
