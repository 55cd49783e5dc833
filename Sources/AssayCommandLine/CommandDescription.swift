import ArgumentParser
import Foundation

/// A command as the parser describes it to tools (`--experimental-dump-help`): what it takes, and its subcommands.
struct CommandDescription: Decodable {
    struct Argument: Decodable {
        enum Kind: String, Decodable { case positional, option, flag }

        struct Name: Decodable {
            enum Kind: String, Decodable { case long, short, longWithSingleDash }
            let kind: Kind
            let name: String

            /// As it is typed.
            var word: String { (kind == .long ? "--" : "-") + name }
        }

        let kind: Kind
        let shouldDisplay: Bool
        let names: [Name]?
        let valueName: String?
        /// The words that it takes; `nil` where it takes others too.
        let allValues: [String]?

        var words: [String] { (names ?? []).map(\.word) }
    }

    let commandName: String
    let subcommands: [CommandDescription]?
    let arguments: [Argument]?

    /// The command at the end of a path that begins at this root.
    init?(of root: any ParsableCommand.Type, path: [any ParsableCommand.Type]) {
        struct Dump: Decodable { let command: CommandDescription }
        guard let dump = try? JSONDecoder().decode(Dump.self, from: Data(root._dumpHelp().utf8)) else { return nil }
        var found = dump.command
        for command in path.dropFirst() {
            guard let next = found.subcommands?.first(where: { $0.commandName == command._commandName }) else { return nil }
            found = next
        }
        self = found
    }

    /// The option or flag of this name, as it is typed.
    func argument(_ word: String) -> Argument? { arguments?.first { $0.words.contains(word) } }

    var hasPositional: Bool { arguments?.contains { $0.kind == .positional } ?? false }

    /// The names of options and flags that help shows.
    var shownNames: [String] { (arguments ?? []).filter(\.shouldDisplay).flatMap(\.words).filter { $0.hasPrefix("--") } }
}
