package import ArgumentParser
import AssayCore
import Foundation

extension AsyncParsableCommand {
    /// Runs the program: parses its command line, runs the command, and exits with a message and a status if that fails.
    ///
    /// - Parameter options: see `CommandWords`.
    package static func run(moving options: [String: Bool]) async {
        let words = CommandWords(Array(CommandLine.arguments.dropFirst()), of: self, moving: options)
        do {
            var command = try await parsed(words)
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            answer(to: error, of: words.command, columns: nil).end()
        }
    }

    /// What words are answered with that run none of the program's commands: help, or what is wrong with them.
    ///
    /// - Parameters:
    ///   - options: see `CommandWords`.
    ///   - columns: the width of help; `nil`: the window's.
    /// - Returns: `nil` where a command is to be run.
    package static func answer(
        to words: [String], moving options: [String: Bool], columns: Int? = nil
    ) async -> CommandAnswer? {
        let words = CommandWords(words, of: self, moving: options)
        do {
            var command = try await parsed(words)
            guard !has(type(of: command)) else { return nil }
            // One of the parser's own, which throws what it has to say.
            try command.run()
            return nil
        } catch {
            return answer(to: error, of: words.command, columns: columns)
        }
    }

    private static func parsed(_ words: CommandWords) async throws -> any ParsableCommand {
        if let mistake = words.unknownHelp { throw mistake }
        let command: any ParsableCommand
        do {
            command = try await asyncParseAsRoot(words.arranged)
        } catch  where exitCode(for: error) == .validationFailure {
            guard let mistake = words.mistake(message(for: error)) else { throw error }
            throw mistake
        }
        if let mistake = words.swallowed { throw mistake }
        return command
    }

    private static func answer(
        to error: any Error, of command: any ParsableCommand.Type, columns: Int?
    ) -> CommandAnswer {
        // What was to be said is said.
        if let code = error as? ExitCode { return .status(code.rawValue) }
        if let failure = error as? CommandFailure {
            let text = "\(_commandName): " + failure.message.split(separator: "\n").map(\.visible).joined(separator: "\n")
            return .failure(failure, text: text)
        }
        if let mistake = error as? CommandWords.Mistake { return wrongUsage(mistake.message, of: mistake.command) }
        // Of the command: the parser's own errors bring their command's usage with them.
        if let wrong = error as? ValidationError { return wrongUsage(wrong.message, of: command) }
        let status = exitCode(for: error)
        let text = fullMessage(for: error, columns: columns)
        switch status {
        case .success: return .text(UsageText.broken(text))
        case .validationFailure:
            let failure = CommandFailure("wrong_usage", message(for: error), exitStatus: status.rawValue)
            return .failure(failure, text: UsageText.broken(text))
        default: return .failure(CommandFailure("failed", message(for: error), exitStatus: status.rawValue), text: text)
        }
    }

    /// What is wrong, with the usage of the command.
    private static func wrongUsage(_ message: String, of command: any ParsableCommand.Type) -> CommandAnswer {
        let usage = usageString(for: command)
        // The usage begins with the command's whole name.
        let name = usage.split(separator: " ").prefix { !"[<-".contains($0.first ?? "-") }.joined(separator: " ")
        let text = "Error: \(message)\nUsage: \(usage)\n  See '\(name) --help' for more information."
        let failure = CommandFailure("wrong_usage", message, exitStatus: ExitCode.validationFailure.rawValue)
        return .failure(failure, text: UsageText.broken(text))
    }
}

extension ParsableCommand {
    /// Whether the command is this one, or below it.
    fileprivate static func has(_ command: any ParsableCommand.Type) -> Bool {
        ObjectIdentifier(command) == ObjectIdentifier(self) || configuration.subcommands.contains { $0.has(command) }
    }
}
