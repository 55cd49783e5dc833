import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    /// The parser of arguments checks these at each start of a debug build, but not in a tree that is built once (dev/swiftc-once.sh).
    @Suite("Definitions of the commands")
    struct CommandDefinitionTests {
        /// A command as the parser describes it to tools.
        private struct Command: Decodable {
            struct Argument: Decodable {
                enum Kind: String, Decodable { case positional, option, flag }

                struct Name: Decodable, Hashable {
                    let kind: String
                    let name: String
                }

                let kind: Kind
                let names: [Name]?
                let isRepeating: Bool
                let defaultValue: String?
                let valueName: String?
            }

            let commandName: String
            let arguments: [Argument]?
            let subcommands: [Command]?

            /// This command and all below it.
            var all: [Command] { [self] + (subcommands ?? []).flatMap(\.all) }
        }

        private struct Dump: Decodable { let command: Command }

        @Test(
            "No two options of a command have one name, no argument follows one that repeats, and no flag is always set",
            arguments: Program.allCases)
        func sound(_ program: Program) async throws {
            let ending = try await program.run(["--experimental-dump-help"], columns: 80)
            try #require(ending.status == 0, "\(ending)")
            let commands = try JSONDecoder().decode(Dump.self, from: Data(ending.out.utf8)).command.all
            #expect(commands.count > 5)
            for command in commands {
                let arguments = command.arguments ?? []
                let names = arguments.flatMap { $0.names ?? [] }
                #expect(Set(names).count == names.count, "\(command.commandName): \(names)")
                let positional = arguments.filter { $0.kind == .positional }
                #expect(!positional.dropLast().contains { $0.isRepeating }, "\(command.commandName): \(positional)")
                let alwaysSet = arguments.filter { $0.kind == .flag && $0.defaultValue == "true" && $0.names?.count == 1 }
                #expect(alwaysSet.isEmpty, "\(command.commandName): \(alwaysSet)")
            }
        }
    }
}
