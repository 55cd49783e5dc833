package import ArgumentParser
import AssayCore

/// The words of a command line, before they are parsed.
///
/// An option that every command takes may stand before the command: `assay --server HOST:PORT device list` is
/// `assay device list --server HOST:PORT`. Where the words cannot be parsed, the nearest command, option or value is suggested.
package struct CommandWords {
    /// What is wrong with the words, and the command whose usage helps.
    package struct Mistake: Error {
        package let message: String
        package let command: any ParsableCommand.Type
    }

    /// The words in the order in which the parser takes them.
    package let arranged: [String]
    private let root: any ParsableCommand.Type
    /// The commands that were found, from the root on; `help` is not one of them.
    private let path: [any ParsableCommand.Type]
    /// The words behind the commands, without the options that stood before them.
    private let rest: [String]
    private let options: [String: Bool]
    /// Whether the words ask for help about a command.
    private let isHelp: Bool

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
        (self.root, self.path, self.options, self.rest, self.isHelp) = (root, path, options, Array(rest), isHelp)
    }

    private static func subcommand(_ word: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { $0._commandName == word || $0.configuration.aliases.contains(word) }
    }

    /// How many words the option takes, with its name; `nil` if it is not one of them.
    private static func length(of word: String, _ options: [String: Bool]) -> Int? {
        let name = word.prefix { $0 != "=" }
        return options[String(name)].map { $0 && name.count == word.count ? 2 : 1 }
    }

    // MARK: The command

    /// The commands whose arguments the words are: those that were named, and the default one below them.
    private var parsedPath: [any ParsableCommand.Type] {
        var path = path
        while let next = path.last?.configuration.defaultSubcommand { path.append(next) }
        return path
    }

    /// The command whose arguments the words are.
    package var command: any ParsableCommand.Type { parsedPath.last ?? root }

    /// The first word where a command could stand and none does.
    private var stop: String? { path.last?.configuration.subcommands.isEmpty == false ? rest.first : nil }

    // MARK: Mistakes

    /// A word behind `help` that is no command, for which the parser gives the help of what stands before it.
    package var unknownHelp: Mistake? {
        guard isHelp, let stop, !stop.hasPrefix("-"), let command = path.last else { return nil }
        return nearestCommand(to: stop, of: command) ?? noCommand(stop, of: command)
    }

    /// A misspelt command that the parser took for an argument of the default command.
    package var swallowed: Mistake? {
        guard let stop, !stop.hasPrefix("-"), let command = path.last, command.configuration.defaultSubcommand != nil
        else { return nil }
        return nearestCommand(to: stop, of: command)
    }

    /// Why the words cannot be parsed, if the reason is a command, an option or a value that does not exist; `nil` otherwise.
    ///
    /// - Parameter message: what the parser says.
    package func mistake(_ message: String) -> Mistake? {
        commandMistake(message) ?? optionMistake() ?? valueMistake(message)
    }

    private func commandMistake(_ message: String) -> Mistake? {
        guard let stop, !stop.hasPrefix("-"), let command = path.last else { return nil }
        if let mistake = nearestCommand(to: stop, of: command) ?? otherWord(for: stop, of: command) { return mistake }
        // A word before the default command may be an argument of that, unless that takes none, or the parser says that it is none.
        let takesWords =
            command.configuration.defaultSubcommand != nil
            && CommandDescription.of(self.command)?.hasPositional != false
        guard !takesWords || message.contains("'\(stop)'") else { return nil }
        // A file for the default command, without the option that takes it.
        if command.configuration.defaultSubcommand != nil, stop.contains("."),
            let option = CommandDescription.of(self.command)?.shownNames.first(where: { options[$0] == true })
        {
            return Mistake(
                message: "'\(stop)' is not a command of '\(name)'. Did you mean '\(option) \(stop)'?", command: command)
        }
        return noCommand(stop, of: command)
    }

    private func noCommand(_ word: String, of command: any ParsableCommand.Type) -> Mistake {
        Mistake(
            message: "'\(word)' is not a command of '\(name)'. Its commands are: "
                + commands(of: command).joined(separator: ", ") + ".", command: command)
    }

    private var name: String { path.map { $0._commandName }.joined(separator: " ") }

    private func commands(of command: any ParsableCommand.Type) -> [String] {
        command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
    }

    private func nearestCommand(to word: String, of command: any ParsableCommand.Type) -> Mistake? {
        Spelling.nearest(to: word, among: commands(of: command)).map { suggestion(of: $0, for: word, of: command) }
    }

    /// Words for one thing, of which programs have one or another.
    private static let synonyms = [
        ["show", "get", "info", "view"], ["list", "ls"], ["add", "create", "make", "new"],
        ["remove", "forget", "revoke", "delete", "rm", "del"], ["run", "start", "serve"],
    ]

    private func otherWord(for word: String, of command: any ParsableCommand.Type) -> Mistake? {
        guard let words = Self.synonyms.first(where: { $0.contains(word) }) else { return nil }
        return commands(of: command).first(where: words.contains).map { suggestion(of: $0, for: word, of: command) }
    }

    private func suggestion(of meant: String, for word: String, of command: any ParsableCommand.Type) -> Mistake {
        Mistake(message: "'\(word)' is not a command of '\(name)'. Did you mean '\(meant)'?", command: command)
    }

    /// The first option that the command does not have, or a value that an option does not have and that is near one that it has.
    private func optionMistake() -> Mistake? {
        guard let last = path.last else { return nil }
        // Options before a command that is missing are those of every command.
        guard last.configuration.subcommands.isEmpty || last.configuration.defaultSubcommand != nil else {
            guard let word = rest.first, word.hasPrefix("-"), Self.length(of: word, options) == nil, !Self.isBuiltIn(word)
            else { return nil }
            return unknown(word, among: options.keys.sorted(), of: last)
        }
        guard let description = CommandDescription.of(command) else { return nil }
        var words = rest[...]
        var mistake: Mistake?
        while let word = words.popFirst(), word != "--" {
            guard word.hasPrefix("-"), word != "-" else { continue }
            let name = String(word.prefix { $0 != "=" })
            guard let argument = description.argument(name) else {
                guard !Self.isBuiltIn(word), !isGroup(name, description) else { continue }
                return unknown(name, among: description.shownNames + ["--help", "--version"], of: command)
            }
            guard argument.kind == .option else { continue }
            let value = name.count < word.count ? String(word.dropFirst(name.count + 1)) : words.popFirst()
            // The parser takes it for an option, and the value for one that is missing.
            if name.count == word.count, let value, value.hasPrefix("-"), value.dropFirst().first?.isNumber == true {
                let wrong = "The value '\(value)' is invalid for '\(name) <\(argument.valueName ?? "value")>': it is below 0."
                mistake = mistake ?? Mistake(message: wrong, command: command)
            }
            mistake = mistake ?? value.flatMap { misspelt($0, of: name, argument) }
        }
        return mistake
    }

    private static func isBuiltIn(_ word: String) -> Bool {
        ["-h", "--help", "--help-hidden", "--version", "--experimental-dump-help"].contains(word)
            || word.hasPrefix("--generate-completion-script")
    }

    /// Whether these are letters of one dash, such as `-fn5`: the parser judges them.
    private func isGroup(_ word: String, _ description: CommandDescription) -> Bool {
        !word.hasPrefix("--") && description.argument(String(word.prefix(2))) != nil
    }

    private func unknown(_ word: String, among names: [String], of command: any ParsableCommand.Type) -> Mistake {
        let option = String(word.prefix { $0 != "=" })
        let message = "Unknown option '\(option)'."
        // The dashes are no letters of the name.
        let byName = Dictionary(names.map { (Self.bare($0), $0) }, uniquingKeysWith: { first, _ in first })
        if let meant = Spelling.nearest(to: Self.bare(option), among: byName.keys).flatMap({ byName[$0] }) {
            return Mistake(message: "\(message) Did you mean '\(meant)'?", command: command)
        }
        let others = CommandDescription.of(root)?.commands(with: option, named: root._commandName) ?? []
        if (1...3).contains(others.count) {
            return Mistake(
                message: "\(message) It is an option of \(others.map { "'\($0)'" }.joined(separator: " and ")).",
                command: command)
        }
        let near = Spelling.near(to: Self.bare(option), among: byName.keys, limit: 3).compactMap { byName[$0] }
        return Mistake(
            message: near.isEmpty ? message : "\(message) Near it: \(near.joined(separator: ", ")).", command: command)
    }

    /// The name of an option without dashes, its parts separated as ``Spelling`` takes them.
    private static func bare(_ option: String) -> String {
        String(option.drop { $0 == "-" }).replacing("-", with: "_")
    }

    private func misspelt(_ value: String, of name: String, _ argument: CommandDescription.Argument) -> Mistake? {
        guard let values = argument.allValues, !values.isEmpty, !values.contains(value),
            let meant = Spelling.nearest(to: value, among: values)
        else { return nil }
        return Mistake(
            message:
                "The value '\(value)' is invalid for '\(name) <\(argument.valueName ?? "value")>'. Did you mean '\(meant)'?",
            command: command)
    }

    // MARK: Values

    /// A value that is not of its form, where more can be said of the form than the parser does.
    ///
    /// - Parameter message: what the parser says.
    private func valueMistake(_ message: String) -> Mistake? {
        guard let parts = message.firstMatch(of: /The value '(.*)' is invalid for '((?:--?[a-z-]+ )?<(.+)>)'/),
            let remedy = Self.remedy(for: String(parts.1), as: String(parts.3))
        else { return nil }
        return Mistake(message: "The value '\(parts.1)' is invalid for '\(parts.2)'\(remedy)", command: command)
    }

    /// The end of a sentence about a value; `nil` for values of whose form the help of the option says all.
    ///
    /// - Parameter name: what help calls the value.
    private static func remedy(for value: String, as name: String) -> String? {
        switch name {
        case "app":
            let lower = value.lowercased().replacing(" ", with: "-")
            let meant = AppID(lower) == nil ? "" : " Did you mean '\(lower)'?"
            return ": an app's name is of the form [a-z0-9._-]{1,64}.\(meant)"
        case "dev_…": return ": a device's id is \"dev_\" and 32 hexadecimal digits, as 'assay device list' shows it."
        case "bytes", "digest": return ": want \(ByteText.forms)."
        case "count", "number", "pixels", "retries": return ": want a whole number."
        case "duration", "time":
            if Int64(value) != nil { return ": the unit is missing, ms, s, m, h or d, as in \(value)d." }
            return DurationText.meant(by: value).map { ". Did you mean '\($0)'?" }
        default: return nil
        }
    }
}
