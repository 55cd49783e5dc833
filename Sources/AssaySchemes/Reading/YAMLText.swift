import Yams

/// What has to be known of YAML's text before and after the library reads it.
package enum YAMLText {
    /// The text without the byte order mark that may stand at the start of a stream (YAML 1.2.2, 5.2). Some editors write it, and it
    /// says nothing in UTF-8.
    package static func withoutMark(_ text: String) -> String {
        text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// The line of the first alias. Aliases are refused before the text is composed: a few of them stand for more values
    /// than there is memory to look at. Read a little too strictly: what looks like an alias inside a multi-line text is
    /// taken for one.
    package static func lineOfAlias(in text: String) -> Int? {
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            var startsValue = true
            var afterStar = false
            scan: for byte in line {
                let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
                if afterStar, !isSpace { return index + 1 }
                afterStar = false
                switch byte {
                case UInt8(ascii: "#") where startsValue && line.first(where: { $0 != UInt8(ascii: " ") }) == byte: break scan
                case UInt8(ascii: "*") where startsValue: (afterStar, startsValue) = (true, false)
                case UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "{"),
                    UInt8(ascii: ","):
                    startsValue = true
                default: if !isSpace { startsValue = false }
                }
            }
        }
        return nil
    }

    /// The library's error as a line and one sentence.
    package static func explain(_ error: any Error) -> (line: Int?, message: String) {
        guard let error = error as? YamlError else { return (nil, "not YAML: \(error)") }
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            return (mark.line, "not YAML: " + [context?.text, problem].compactMap { $0 }.joined(separator: ", "))
        case .reader(let problem, let offset, _, let text):
            let line = offset.map { text.prefix($0).count { $0.isNewline } + 1 }
            return (line, "not YAML: \(problem)")
        case .duplicatedKeysInMapping(let names, let context):
            return (context.mark.line, "given more than once: " + names.map { "\"\($0)\"" }.joined(separator: ", "))
        default: return (nil, "not YAML: \(error)")
        }
    }
}
