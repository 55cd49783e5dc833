import AssayCore

/// Writes claims as a JSON object, byte by byte, without a tree of values in between. Names are distinct: the caller sees to that.
struct JSONClaims {
    private var text: [UInt8] = []
    /// Whether the next member is the first of its object.
    private var isFirst = true

    /// Enough for an EAR, so that it is written without allocating again.
    private static let usualSize = 1280

    /// The object whose members `body` writes.
    static func object(_ body: (inout JSONClaims) -> Void) -> [UInt8] {
        var claims = JSONClaims()
        claims.text.reserveCapacity(usualSize)
        claims.text.append(UInt8(ascii: "{"))
        body(&claims)
        claims.text.append(UInt8(ascii: "}"))
        return claims.text
    }

    /// A text, with its quotation marks and escapes: for constants that are written often (`add(_:json:)`).
    static func encoded(_ value: String) -> [UInt8] {
        var (text, value): ([UInt8], String) = ([], value)
        value.withUTF8 { JSONText.append(string: UnsafeRawBufferPointer($0), to: &text) }
        return text
    }

    mutating func add(_ name: StaticString, _ value: String) {
        begin(name)
        var value = value
        value.withUTF8 { JSONText.append(string: UnsafeRawBufferPointer($0), to: &text) }
    }

    mutating func add(_ name: StaticString, _ number: Int64) {
        begin(name)
        text.append(contentsOf: String(number).utf8)
    }

    mutating func add(_ name: StaticString, _ flag: Bool) {
        begin(name)
        text.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// A value that is JSON already.
    mutating func add(_ name: StaticString, json value: [UInt8]) {
        begin(name)
        text.append(contentsOf: value)
    }

    /// A text of our own, in which nothing has to be escaped.
    mutating func add(_ name: StaticString, plain value: StaticString) {
        begin(name)
        write("\"")
        write(value)
        write("\"")
    }

    /// The same.
    mutating func add(_ name: StaticString, plain value: String) {
        begin(name)
        quote { $0.append(contentsOf: value.utf8) }
    }

    /// Bytes as base64url.
    mutating func add(_ name: StaticString, base64url bytes: [UInt8]) {
        begin(name)
        quote { text in bytes.withUnsafeBytes { Base64.url.append($0, to: &text) } }
    }

    /// Bytes as lower-case hexadecimal digits.
    mutating func add(_ name: StaticString, hex bytes: [UInt8]) {
        begin(name)
        quote { text in bytes.withUnsafeBytes { Hex.append($0, to: &text) } }
    }

    /// A list of texts in which nothing has to be escaped.
    mutating func add(_ name: StaticString, plain values: some Sequence<String>) {
        begin(name)
        write("[")
        for (index, value) in values.enumerated() {
            if index > 0 { write(",") }
            quote { $0.append(contentsOf: value.utf8) }
        }
        write("]")
    }

    /// A list with one text: a beginning of our own, and bytes as base64url.
    mutating func add(_ name: StaticString, listOf beginning: StaticString, base64url bytes: [UInt8]) {
        begin(name)
        write("[\"")
        write(beginning)
        bytes.withUnsafeBytes { Base64.url.append($0, to: &text) }
        write("\"]")
    }

    mutating func object(_ name: StaticString, _ body: (inout JSONClaims) -> Void) {
        begin(name)
        write("{")
        isFirst = true
        body(&self)
        write("}")
        isFirst = false
    }

    private mutating func begin(_ name: StaticString) {
        write(isFirst ? "\"" : ",\"")
        isFirst = false
        write(name)
        write("\":")
    }

    private mutating func write(_ piece: StaticString) { piece.withUTF8Buffer { text.append(contentsOf: $0) } }

    private mutating func quote(_ body: (inout [UInt8]) -> Void) {
        text.append(UInt8(ascii: "\""))
        body(&text)
        text.append(UInt8(ascii: "\""))
    }
}
