extension JSONValue {
    /// The value as JSON, without space. Numbers are as they were read.
    package var text: [UInt8] {
        var text: [UInt8] = []
        write(to: &text)
        return text
    }

    private func write(to text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .boolean(let flag): text += (flag ? "true" : "false").utf8
        case .number(let digits): text += digits
        case .string(let bytes): bytes.withUnsafeBytes { JSONText.append(string: $0, to: &text) }
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.write(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let object):
            text.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                member.name.withUnsafeBytes { JSONText.append(string: $0, to: &text) }
                text.append(UInt8(ascii: ":"))
                member.value.write(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }
}

/// JSON as it is written: without space, and only with the escapes that RFC 8259 §7 demands.
package enum JSONText {
    /// Appends a string, which must be UTF-8.
    package static func append(string: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        var plain = 0
        for (index, byte) in string.enumerated() where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            text += string[plain..<index]
            text += byte < 0x20 ? Array("\\u00\(Hex.encode([byte]))".utf8) : [UInt8(ascii: "\\"), byte]
            plain = index + 1
        }
        text += string[plain...]
        text.append(UInt8(ascii: "\""))
    }
}
