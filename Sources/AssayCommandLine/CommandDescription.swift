import ArgumentParser
import Foundation
import Synchronization

/// A command as the parser describes it to tools (`--experimental-dump-help`): what it takes.
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
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        /// The words that it takes; `nil` where it takes others too.
        let allValues: [String]?

        var words: [String] { (names ?? []).map(\.word) }
    }

    let commandName: String
    let shouldDisplay: Bool?
    let arguments: [Argument]?
    let subcommands: [CommandDescription]?

    /// Those that were asked for: to describe a command takes long in a debug build, where the parser checks all that is below it.
    private static let known = Mutex<[ObjectIdentifier: CommandDescription]>([:])

    static func of(_ command: any ParsableCommand.Type) -> CommandDescription? {
        struct Dump: Decodable { let command: CommandDescription }
        if let description = known.withLock({ $0[ObjectIdentifier(command)] }) { return description }
        let dump = try? JSONDecoder().decode(Dump.self, from: Data(command._dumpHelp().utf8))
        known.withLock { $0[ObjectIdentifier(command)] = dump?.command }
        return dump?.command
    }

    /// The option or flag of this name, as it is typed.
    func argument(_ word: String) -> Argument? { arguments?.first { $0.words.contains(word) } }

    /// The whole names of the commands without others below them that have an option, in the order of the help.
    func commands(with option: String, named name: String) -> [String] {
        let shown = (subcommands ?? []).filter { $0.shouldDisplay != false }
        guard shown.isEmpty else {
            return shown.flatMap { $0.commands(with: option, named: "\(name) \($0.commandName)") }
        }
        return argument(option)?.shouldDisplay == true ? [name] : []
    }

    var hasPositional: Bool { arguments?.contains { $0.kind == .positional } ?? false }

    /// The names of options and flags that help shows.
    var shownNames: [String] { (arguments ?? []).filter(\.shouldDisplay).flatMap(\.words).filter { $0.hasPrefix("--") } }
}
