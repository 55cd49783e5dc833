import AssayCore

/// A value as YAML 1.2 in block style, for people: one member a line, and texts of several lines as they are.
enum YAMLText {
    /// The value with a line end behind it.
    static func text(of value: JSONValue) -> String {
        var text = ""
        switch value {
        case .object(let object) where !object.members.isEmpty: write(object, 0, to: &text)
        case .array(let elements) where !elements.isEmpty: write(elements, 0, to: &text)
        default: write(behind: "", value, 0, to: &text)
        }
        return text
    }

    private static func write(_ object: JSONObject, _ indent: Int, to text: inout String) {
        for member in object.members {
            let name = String(decoding: member.name, as: UTF8.self)
            text += spaces(indent) + (isPlain(name) ? name : quoted(name)) + ":"
            write(behind: " ", member.value, indent, to: &text)
        }
    }

    private static func write(_ elements: [JSONValue], _ indent: Int, to text: inout String) {
        for element in elements {
            switch element {
            case .object(let object) where !object.members.isEmpty:
                text += spaces(indent) + "- " + inline(indent) { write(object, indent + 2, to: &$0) }
            case .array(let inner) where !inner.isEmpty:
                text += spaces(indent) + "- " + inline(indent) { write(inner, indent + 2, to: &$0) }
            default:
                text += spaces(indent) + "-"
                write(behind: " ", element, indent, to: &text)
            }
        }
    }

    /// What is written two spaces further in, without the indentation of its first line.
    private static func inline(_ indent: Int, _ body: (inout String) -> Void) -> String {
        var text = ""
        body(&text)
        return String(text.dropFirst(indent + 2))
    }

    /// The value of a member or an element, and the line end.
    private static func write(behind gap: String, _ value: JSONValue, _ indent: Int, to text: inout String) {
        switch value {
        case .object(let object) where !object.members.isEmpty:
            text += "\n"
            write(object, indent + 2, to: &text)
        case .array(let elements) where !elements.isEmpty:
            text += "\n"
            write(elements, indent + 2, to: &text)
        case .object: text += gap + "{}\n"
        case .array: text += gap + "[]\n"
        case .null: text += gap + "null\n"
        case .boolean(let flag): text += gap + (flag ? "true\n" : "false\n")
        case .number(let digits): text += gap + String(decoding: digits, as: UTF8.self) + "\n"
        case .string(let bytes): write(String(decoding: bytes, as: UTF8.self), behind: gap, indent, to: &text)
        }
    }

    private static func write(_ string: String, behind gap: String, _ indent: Int, to text: inout String) {
        guard isBlock(string) else {
            text += gap + (isPlain(string) ? string : quoted(string)) + "\n"
            return
        }
        text += gap + "|-\n"
        for line in string.split(separator: "\n", omittingEmptySubsequences: false) {
            text += (line.isEmpty ? "" : spaces(indent + 2) + line) + "\n"
        }
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

    // MARK: Forms of texts

    /// YAML's double quotes take every escape of JSON.
    private static func quoted(_ string: String) -> String {
        var bytes: [UInt8] = []
        Array(string.utf8).withUnsafeBytes { JSONText.append(string: $0, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What stands without quotation marks in every context, and is read as a text by YAML 1.1 too: it begins with a letter, "/" or "$".
    private static func isPlain(_ string: String) -> Bool {
        guard let first = string.utf8.first, isLetter(first) || first == UInt8(ascii: "/") || first == UInt8(ascii: "$") else {
            return false
        }
        guard string.utf8.allSatisfy({ isLetter($0) || plainMarks.contains($0) }) else { return false }
        guard let last = string.utf8.last, last != UInt8(ascii: " "), last != UInt8(ascii: ":") else { return false }
        return !string.contains(": ") && !words.contains(string.lowercased())
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static let plainMarks = Set("0123456789 ,_./()+$@*=;'!?<>|^~:-`".utf8)

    /// What YAML 1.1 or 1.2 reads as something else than a text.
    private static let words: Set = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]

    /// Whether a text of several lines stands as it is, without escapes.
    private static func isBlock(_ string: String) -> Bool {
        guard let first = string.utf8.first, first != UInt8(ascii: " "), first != UInt8(ascii: "\n") else { return false }
        guard string.utf8.last != UInt8(ascii: "\n"), string.utf8.contains(UInt8(ascii: "\n")) else { return false }
        return string.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isInvisible }
    }
}
