import ArgumentParser
import AssayCommandLine
import AssayCore
import Foundation

/// The output of commands.
enum Console {
    /// A reader that closes early, such as `head`, does not cause a failure.
    static func print(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data((shown(text) + "\n").utf8)) }
    /// Bytes as they are, without a line end.
    static func write(_ bytes: [UInt8]) { try? FileHandle.standardOutput.write(contentsOf: Data(bytes)) }
    /// Text as it is, without a line end.
    static func writeText(_ text: String) { write(Array(text.utf8)) }

    /// Text as a terminal may show it, whatever files, daemons and devices put into it: visible characters, line ends, tabs, and the colours of
    /// ``styled(_:_:)``.
    static func shown(_ text: String) -> String {
        guard text.firstInvisible != nil else { return text }
        var shown = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}", let end = rest.firstIndex(of: "m"), rest.first == "[",
                rest[..<end].dropFirst().allSatisfy({ ("0"..."9").contains($0) || $0 == ";" })
            {
                shown.append(scalar)
                shown.append(contentsOf: rest[...end])
                rest = rest[rest.index(after: end)...]
            } else {
                shown.append(scalar == "\n" || scalar == "\t" || !scalar.isInvisible ? scalar : "\u{FFFD}")
            }
        }
        return String(shown)
    }

    /// Says on standard error why the command fails; throw the result.
    ///
    /// - Parameter reason: for machines, with `--json`. docs/reference/command-line.md lists them.
    static func failure(_ reason: String, _ text: String, status: Int32 = 1) -> ExitCode {
        tell(CommandFailure(reason, text, exitStatus: status))
    }

    private static func tell(_ failure: CommandFailure) -> ExitCode { failure.shown(as: "assay: " + shown(failure.message)) }

    /// Writes a message for the operator to standard error.
    static func say(_ text: String) { CommandFailure.note(shown(text)) }

    /// Says that a listing has nothing. Standard output stays empty, which with `--json` is an empty list of lines.
    static func sayEmpty(_ text: String) {
        if !CommandFailure.isJSON { say(text) }
    }

    /// Whether the command can ask a question: standard input and error are terminals.
    static var canAsk: Bool { isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0 }

    /// Asks, and waits for a line. Everything but `y` or `yes` means no.
    static func confirms(_ question: String) -> Bool {
        try? FileHandle.standardError.write(contentsOf: Data((question + " [y/N] ").utf8))
        let answer = readLine()?.lowercased().trimmingCharacters(in: .whitespaces)
        return answer == "y" || answer == "yes"
    }

    /// Writes to standard error what the command does or met, which is no failure of it.
    static func note(_ text: String) { CommandFailure.note(CommandFailure.isJSON ? text : "assay: " + shown(text)) }

    /// Reports an unreadable input; throw the result.
    static func unreadable(_ text: String) -> ExitCode { tell(.unreadable(text)) }

    /// One JSON object, members in the order of their names.
    static func print(json object: [String: Any], pretty: Bool = true) { print(text(json: object, pretty: pretty)) }

    static func text(json object: [String: Any], pretty: Bool = false) -> String {
        let options: JSONSerialization.WritingOptions =
            pretty ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
        let data = (try? JSONSerialization.data(withJSONObject: object, options: options)) ?? Data("{}".utf8)
        return JSONEscapes.escaped(String(decoding: data, as: UTF8.self))
    }

    /// Whether to write colours: on a terminal, unless NO_COLOR is set and not empty (no-color.org).
    static let isTerminal =
        isatty(STDOUT_FILENO) != 0 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Whether a view may be redrawn in place: on a terminal that can do more than print, with or without colours.
    static let isScreen = isatty(STDOUT_FILENO) != 0 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    static func styled(_ text: String, _ style: Style?) -> String { style.map { styled(text, $0) } ?? text }

    static func styled(_ text: String, _ style: Style) -> String {
        isTerminal ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    enum Style: String {
        case good = "32"
        case bad = "31"
        case faint = "2"
        case bold = "1"
        case warning = "33"
    }
}
