package import ArgumentParser
import AssayCore

/// The words of a command line, before they are parsed.
///
/// An option that every command takes may stand before the command: `assay --server HOST:PORT device list` is
/// `assay device list --server HOST:PORT`. Where the words cannot be parsed, the nearest command or option is suggested.
package struct CommandWords {
    /// The words in the order in which the parser takes them.
    package let arranged: [String]
    /// The commands that were found, from the root on; `help` is not one of them.
    private let path: [any ParsableCommand.Type]
    /// The first word that is neither a command nor one of the options.
    private let stop: String?
    private let options: [String: Bool]

    /// - Parameters:
    ///   - root: the command of the program.
    ///   - options: the options that may stand before a command, such as `--server`, and whether a value follows.
    package init(_ words: [String], of root: any ParsableCommand.Type, moving options: [String: Bool]) {
        var (rest, moved, named) = (words[...], [String](), [String]())
        var path = [root]
        var isHelp = false
        while let word = rest.first, let command = path.last, !command.configuration.subcommands.isEmpty {
            if let next = Self.subcommand(word, of: command) {
                path.append(next)
                named.append(word)
                rest.removeFirst()
            } else if word == "help", named.isEmpty {
                isHelp = true
                named.append(word)
                rest.removeFirst()
            } else if let count = Self.length(of: word, options), count <= rest.count {
                moved += rest.prefix(count)
                rest = rest.dropFirst(count)
            } else {
                break
            }
        }
        // Without a command they are options of the root or of its default command, where they stand already.
        arranged = named.isEmpty ? words : named + (isHelp ? [] : moved) + rest
        stop = path.last?.configuration.subcommands.isEmpty == false ? rest.first : nil
        (self.path, self.options) = (path, options)
    }

    private static func subcommand(_ word: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { $0._commandName == word || $0.configuration.aliases.contains(word) }
    }

    /// How many words the option takes, with its name; `nil` if it is not one of them.
    private static func length(of word: String, _ options: [String: Bool]) -> Int? {
        let name = word.prefix { $0 != "=" }
        return options[String(name)].map { $0 && name.count == word.count ? 2 : 1 }
    }

    // MARK: Suggestions

    /// Why the words cannot be parsed, if the reason is a command or an option that does not exist; `nil` otherwise.
    package var mistake: String? {
        guard let stop, let command = path.last else { return nil }
        let name = path.map { $0._commandName }.joined(separator: " ")
        if stop.hasPrefix("-") {
            let option = String(stop.prefix { $0 != "=" })
            return Spelling.nearest(to: option, among: options.keys).map { "Unknown option '\(option)'. Did you mean '\($0)'?" }
        }
        let commands = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        if let nearest = Spelling.nearest(to: stop, among: commands) {
            return "'\(stop)' is not a command of '\(name)'. Did you mean '\(nearest)'?"
        }
        // A word before the default command may be an argument of that.
        guard command.configuration.defaultSubcommand == nil else { return nil }
        return "'\(stop)' is not a command of '\(name)'. Its commands are: \(commands.joined(separator: ", "))."
    }
}

extension AsyncParsableCommand {
    /// Runs the program: parses its command line, runs the command, and exits with a message and a status if that fails.
    ///
    /// - Parameter options: see `CommandWords`.
    package static func run(moving options: [String: Bool]) async {
        let words = CommandWords(Array(CommandLine.arguments.dropFirst()), of: self, moving: options)
        do {
            var command: any ParsableCommand
            do {
                command = try await asyncParseAsRoot(words.arranged)
            } catch  where exitCode(for: error) == .validationFailure {
                throw words.mistake.map { ValidationError($0) } ?? error
            }
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            exit(withError: error)
        }
    }
}
