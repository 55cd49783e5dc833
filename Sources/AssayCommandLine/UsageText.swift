/// Breaks the lines that state a command's usage, which the parser leaves as long as they are.
enum UsageText {
    /// The longest line, in characters.
    static let longest = 100

    /// The text with its lines of usage broken between arguments.
    static func broken(_ text: String, to width: Int = longest) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard let head = ["USAGE: ", "Usage: "].first(where: line.hasPrefix), line.count > width else {
                return String(line)
            }
            return lines(of: line.dropFirst(head.count), after: head, to: width).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func lines(of usage: Substring, after head: String, to width: Int) -> [String] {
        let indent = String(repeating: " ", count: head.count)
        var lines: [String] = []
        var line = head
        for (place, part) in parts(of: usage).enumerated() {
            if place > 0, line.count + 1 + part.count > width {
                lines.append(line)
                line = indent + part
            } else {
                line += (place > 0 ? " " : "") + part
            }
        }
        return lines + [line]
    }

    /// What is kept on one line: a word, an option with its value, and what stands in brackets.
    private static func parts(of usage: Substring) -> [String] {
        var parts: [String] = []
        for word in usage.split(separator: " ") {
            if let last = parts.last, last.hasPrefix("[") != last.hasSuffix("]") || last.hasPrefix("-") && word.hasPrefix("<") {
                parts[parts.count - 1] = last + " " + word
            } else {
                parts.append(String(word))
            }
        }
        return parts
    }
}
