package import ArgumentParser
import AssayCore
import Foundation

extension AsyncParsableCommand {
    /// Runs the program: parses its command line, runs the command, and exits with a message and a status if that fails.
    ///
    /// - Parameter options: see `CommandWords`.
    package static func run(moving options: [String: Bool]) async {
        let words = CommandWords(Array(CommandLine.arguments.dropFirst()), of: self, moving: options)
        if let mistake = words.unknownHelp { endAfterWrongUsage(mistake.message, of: mistake.command) }
        do {
            var command: any ParsableCommand
            do {
                command = try await asyncParseAsRoot(words.arranged)
            } catch  where exitCode(for: error) == .validationFailure {
                guard let mistake = words.mistake(message(for: error)) else { throw error }
                endAfterWrongUsage(mistake.message, of: mistake.command)
            }
            if let mistake = words.swallowed { endAfterWrongUsage(mistake.message, of: mistake.command) }
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            end(after: error, of: words.command)
        }
    }

    private static func end(after error: any Error, of command: any ParsableCommand.Type) -> Never {
        // What was to be said is said.
        if let code = error as? ExitCode { Foundation.exit(code.rawValue) }
        if let failure = error as? CommandFailure {
            let text = "\(_commandName): " + failure.message.split(separator: "\n").map(\.visible).joined(separator: "\n")
            Foundation.exit(failure.shown(as: text).rawValue)
        }
        let status = exitCode(for: error)
        // Of the command: the parser's own errors bring their command's usage with them.
        if let wrong = error as? ValidationError { endAfterWrongUsage(wrong.message, of: command) }
        switch status {
        case .success:
            try? FileHandle.standardOutput.write(contentsOf: Data((UsageText.broken(fullMessage(for: error)) + "\n").utf8))
        case .validationFailure:
            let failure = CommandFailure("wrong_usage", message(for: error), exitStatus: status.rawValue)
            _ = failure.shown(as: UsageText.broken(fullMessage(for: error)))
        default:
            _ = CommandFailure("failed", message(for: error), exitStatus: status.rawValue).shown(as: fullMessage(for: error))
        }
        Foundation.exit(status.rawValue)
    }

    /// Ends with what is wrong, and with the usage of the command.
    private static func endAfterWrongUsage(_ message: String, of command: any ParsableCommand.Type) -> Never {
        let usage = usageString(for: command)
        // The usage begins with the command's whole name.
        let name = usage.split(separator: " ").prefix { !"[<-".contains($0.first ?? "-") }.joined(separator: " ")
        let text = "Error: \(message)\nUsage: \(usage)\n  See '\(name) --help' for more information."
        let status = CommandFailure("wrong_usage", message, exitStatus: ExitCode.validationFailure.rawValue)
            .shown(as: UsageText.broken(text))
        Foundation.exit(status.rawValue)
    }
}
