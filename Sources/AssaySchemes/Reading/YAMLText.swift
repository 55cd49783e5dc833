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

    /// What is said of an alias.
    package static let aliasProblem =
        "aliases (*name) are not read: write the value out, and put a text that begins with \"*\" in quotes"

    /// The library's error as a line and one sentence.
    package static func explain(_ error: any Error) -> (line: Int?, message: String) {
        guard let error = error as? YamlError else { return (nil, "not YAML: \(error)") }
        switch error {
        case .scanner(let context, let problem, let mark, let text), .parser(let context, let problem, let mark, let text),
            .composer(let context, let problem, let mark, let text):
            let words = [context?.text, problem].compactMap { $0 }.joined(separator: ", ")
            let start = context?.mark.line ?? mark.line
            if let line = lineOfOpenQuote(in: text, from: start, to: mark.line) {
                return (line, "not YAML: the quotation mark that opens in this line is not closed in it (\(words))")
            }
            if let variable = String(line: mark.line, of: text).firstMatch(of: /\$\{[^}]*\}/)?.0 {
                return (
                    mark.line,
                    "not YAML: variables such as \(variable.prefix(60)) are not replaced: write the value out (\(words))"
                )
            }
            guard
                let fault = fault(
                    problem, startedIn: start, at: Character(of: text, at: mark),
                    before: Character(of: text, at: mark, behind: 1))
            else {
                return (mark.line, "not YAML: \(words)")
            }
            return (fault.isWhereItStarted ? start : mark.line, "not YAML: \(fault.meaning) (\(words))")
        case .reader(let problem, let offset, let value, let text):
            let line = offset.map { text.prefix($0).count { $0.isNewline } + 1 }
            let code =
                "U+" + String(repeating: "0", count: value < 16 ? 3 : value < 256 ? 2 : 0)
                + String(value, radix: 16).uppercased()
            let meaning =
                problem == "control characters are not allowed" ? "the line has the control character \(code); delete it" : nil
            return (line, "not YAML: " + (meaning.map { "\($0) (\(problem))" } ?? problem))
        case .duplicatedKeysInMapping(let names, let context):
            let again = names.count == 1 ? names.first.flatMap { lineOfSecond($0, from: context.mark, in: context.text) } : nil
            return (
                context.mark.line,
                "given more than once: " + names.map { "\"\($0)\"" }.joined(separator: ", ")
                    + (again.map { ", again in line \($0)" } ?? "") + "; join them, or leave one out"
            )
        default: return (nil, "not YAML: \(error)")
        }
    }

    /// The first of these lines in which a double quotation mark opens and none closes. Comments do not count.
    private static func lineOfOpenQuote(in text: String, from first: Int, to last: Int) -> Int? {
        guard first >= 1, first <= last else { return nil }
        return (first...last).first { number in
            let line = String(line: number, of: text)
            let content = line.firstRange(of: /(^|\s)#/).map { line[..<$0.lowerBound] } ?? line[...]
            let escaped = content.replacing("\\\\", with: "").replacing("\\\"", with: "")
            return escaped.utf8.count { $0 == UInt8(ascii: "\"") } % 2 == 1
        }
    }

    /// The line below the first one in which a key stands again in the same column.
    private static func lineOfSecond(_ name: String, from mark: Mark, in text: String) -> Int? {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard mark.line >= 1, mark.line < lines.count, mark.column >= 1 else { return nil }
        return lines[mark.line...].firstIndex { line in
            let indent = line.prefix { $0 == " " }.count
            return indent == mark.column - 1 && line.dropFirst(indent).hasPrefix(name + ":")
        }.map { $0 + 1 }
    }

    /// The line of the first indentation that is not of spaces, though it looks like it, such as by no-break spaces.
    static func lineOfStrangeSpace(in text: String) -> Int? {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { line in
            line.first { $0 != " " && $0 != "\t" }.map { !$0.isASCII && $0.properties.isWhitespace } ?? false
        }.map { $0 + 1 }
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
    ///   - next: what stands behind that.
    private static func fault(
        _ problem: String, startedIn line: Int, at character: Character?, before next: Character?
    ) -> Fault? {
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
            switch (character, next) {
            case ("-", " "):
                return Fault(
                    meaning: "the item stands in another column than the items of the list that begins in line \(line)")
            case ("-", _):
                return Fault(
                    meaning: "a space is missing behind the \"-\" that begins an item of the list of line \(line)")
            default:
                return Fault(
                    meaning:
                        "the line belongs neither to the item before it nor begins the next one of the list of line \(line): the "
                        + "keys of an item stand in one column, and an item begins with \"- \" in the column of the others")
            }
        case "did not find expected ',' or ']'":
            return Fault(meaning: "the \"[\" of line \(line) is not closed before this, or a comma is missing")
        case "did not find expected ',' or '}'":
            return Fault(
                meaning:
                    "the \"{\" of line \(line) is not closed before this, a comma is missing, or a text with \": \" is not in quotes"
            )
        case "but found another document":
            return Fault(meaning: "\"---\" begins a second document here: the file has one")
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

extension Node {
    /// Of a section without keys.
    static var emptyMapping: Node { .mapping(Mapping([])) }
}

extension String {
    /// A line of a text, counted from 1; empty where there is none.
    fileprivate init(line number: Int, of text: String) {
        let lines = text.split(maxSplits: Swift.max(0, number), omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        self = number >= 1 && number <= lines.count ? String(lines[number - 1]) : ""
    }
}

extension Character {
    /// The character at a mark, which counts lines and code points from 1.
    ///
    /// - Parameter count: how many stand between.
    fileprivate init?(of text: String, at mark: Mark, behind count: Int = 0) {
        let lines = text.unicodeScalars.split(separator: "\n", maxSplits: mark.line, omittingEmptySubsequences: false)
        guard mark.line >= 1, mark.line <= lines.count,
            let scalar = lines[mark.line - 1].dropFirst(max(0, mark.column - 1) + count).first
        else { return nil }
        self.init(scalar)
    }
}
