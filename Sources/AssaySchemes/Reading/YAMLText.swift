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
        case .scanner(let context, let problem, let mark, let text), .parser(let context, let problem, let mark, let text),
            .composer(let context, let problem, let mark, let text):
            let words = [context?.text, problem].compactMap { $0 }.joined(separator: ", ")
            let start = context?.mark.line ?? mark.line
            guard let fault = fault(problem, startedIn: start, at: Character(of: text, at: mark)) else {
                return (mark.line, "not YAML: \(words)")
            }
            return (fault.isWhereItStarted ? start : mark.line, "not YAML: \(fault.meaning) (\(words))")
        case .reader(let problem, let offset, _, let text):
            let line = offset.map { text.prefix($0).count { $0.isNewline } + 1 }
            let meaning = problem == "control characters are not allowed" ? "the line has a control character" : nil
            return (line, "not YAML: " + (meaning.map { "\($0) (\(problem))" } ?? problem))
        case .duplicatedKeysInMapping(let names, let context):
            return (context.mark.line, "given more than once: " + names.map { "\"\($0)\"" }.joined(separator: ", "))
        default: return (nil, "not YAML: \(error)")
        }
    }

    /// What the library's words mean for the one who wrote the file.
    private struct Fault {
        let meaning: String
        /// Whether the mistake is where the construct began: the library notices it lines later.
        var isWhereItStarted = false
    }

    /// - Parameters:
    ///   - line: where the construct that is broken began.
    ///   - character: what stands where the library stopped.
    private static func fault(_ problem: String, startedIn line: Int, at character: Character?) -> Fault? {
        switch problem {
        case "found character that cannot start any token":
            switch character {
            case "\t": return Fault(meaning: tab)
            case let character?:
                return Fault(meaning: "a text may not begin with \"\(character)\": put it in quotes")
            case nil: return nil
            }
        case "found a tab character where an indentation space is expected",
            "found a tab character that violates indentation":
            return Fault(meaning: tab)
        case "mapping values are not allowed in this context":
            return Fault(
                meaning: "a \": \" where no key may stand: the line is indented more than its neighbours, has two of them, or "
                    + "the one before has none; a text with \": \" is put in quotes")
        case "could not find expected ':'":
            return Fault(meaning: "the line is no \"key: value\"; the colon is missing", isWhereItStarted: true)
        case "did not find expected key":
            return Fault(
                meaning: "the line does not go on with the section that begins in line \(line): its indentation is another")
        case "did not find expected '-' indicator":
            return Fault(
                meaning:
                    "the line is no item of the list that begins in line \(line): an item begins with \"- \", all of them in one column"
            )
        case "did not find expected ',' or ']'":
            return Fault(meaning: "the \"[\" of line \(line) is not closed before this, or a comma is missing")
        case "did not find expected ',' or '}'":
            return Fault(meaning: "the \"{\" of line \(line) is not closed before this, or a comma is missing")
        case "block sequence entries are not allowed in this context":
            return Fault(meaning: "a list begins on the line after its key, with \"- \" before each item")
        case "found unexpected end of stream":
            return Fault(meaning: "the quotation mark that opens in this line is not closed", isWhereItStarted: true)
        case "found unknown escape character":
            return Fault(meaning: "in double quotes a backslash begins an escape: double it, or take single quotes")
        default: return nil
        }
    }

    private static let tab = "a tab stands here; YAML is indented with spaces"
}

extension Character {
    /// The character at a mark, which counts lines and code points from 1.
    fileprivate init?(of text: String, at mark: Mark) {
        let lines = text.unicodeScalars.split(separator: "\n", maxSplits: mark.line, omittingEmptySubsequences: false)
        guard mark.line >= 1, mark.line <= lines.count,
            let scalar = lines[mark.line - 1].dropFirst(max(0, mark.column - 1)).first
        else { return nil }
        self.init(scalar)
    }
}
