import AssayCore

/// Writes claims as a JSON object, byte by byte, without a tree of values in between. Names are distinct: the caller sees to that.
struct JSONClaims: ~Copyable {
    private var text = ClaimBuffer(capacity: usualSize)
    /// Whether the next member is the first of its object.
    private var isFirst = true

    /// Enough for an EAR, so that it is written without allocating again.
    private static let usualSize = 1280

    /// The object whose members `body` writes.
    static func object(_ body: (inout JSONClaims) -> Void) -> [UInt8] {
        var claims = JSONClaims()
        claims.text.write("{")
        body(&claims)
        claims.text.write("}")
        return claims.text.bytes
    }

    /// A text, with its quotation marks and escapes: for constants that are written often (`add(_:json:)`).
    static func encoded(_ value: String) -> [UInt8] {
        var (text, value): ([UInt8], String) = ([], value)
        value.withUTF8 { JSONText.append(string: UnsafeRawBufferPointer($0), to: &text) }
        return text
    }

    mutating func add(_ name: StaticString, _ value: String) { add(name, json: Self.encoded(value)) }

    mutating func add(_ name: StaticString, _ number: Int64) {
        begin(name)
        text.write(number)
    }

    mutating func add(_ name: StaticString, _ flag: Bool) {
        begin(name)
        text.write(flag ? "true" : "false" as StaticString)
    }

    /// A value that is JSON already.
    mutating func add(_ name: StaticString, json value: [UInt8]) {
        begin(name)
        text.write(value)
    }

    /// A text of our own, in which nothing has to be escaped.
    mutating func add(_ name: StaticString, plain value: StaticString) {
        begin(name)
        text.write("\"")
        text.write(value)
        text.write("\"")
    }

    /// The same.
    mutating func add(_ name: StaticString, plain value: String) {
        begin(name)
        text.write("\"")
        text.write(value)
        text.write("\"")
    }

    /// Bytes as base64url.
    mutating func add(_ name: StaticString, base64url bytes: [UInt8]) {
        begin(name)
        text.write("\"")
        text.write(base64url: bytes)
        text.write("\"")
    }

    /// Bytes as lower-case hexadecimal digits.
    mutating func add(_ name: StaticString, hex bytes: [UInt8]) {
        begin(name)
        text.write("\"")
        text.write(hex: bytes)
        text.write("\"")
    }

    /// A list of texts in which nothing has to be escaped.
    mutating func add(_ name: StaticString, plain values: [String]) {
        begin(name)
        text.write("[")
        for index in values.indices {
            text.write(index > 0 ? ",\"" : "\"" as StaticString)
            text.write(values[index])
            text.write("\"")
        }
        text.write("]")
    }

    /// A list with one text: a beginning of our own, and bytes as base64url.
    mutating func add(_ name: StaticString, listOf beginning: StaticString, base64url bytes: [UInt8]) {
        begin(name)
        text.write("[\"")
        text.write(beginning)
        text.write(base64url: bytes)
        text.write("\"]")
    }

    mutating func object(_ name: StaticString, _ body: (inout JSONClaims) -> Void) {
        begin(name)
        text.write("{")
        isFirst = true
        body(&self)
        text.write("}")
        isFirst = false
    }

    private mutating func begin(_ name: StaticString) {
        text.write(isFirst ? "\"" : ",\"" as StaticString)
        isFirst = false
        text.write(name)
        text.write("\":")
    }
}
