import Testing

@testable import AssayCommandLine

extension CommandTests {
    /// The parser of arguments checks these at each start of a debug build, but not in a tree that is built once (dev/swiftc-once.sh).
    @Suite("Definitions of the commands")
    struct CommandDefinitionTests {
        /// The command and all below it.
        private func all(_ command: CommandDescription) -> [CommandDescription] {
            [command] + (command.subcommands ?? []).flatMap(all)
        }

        @Test(
            "No two options of a command have one name, no argument follows one that repeats, and no flag is always set",
            arguments: Program.allCases)
        func sound(_ program: Program) throws {
            let commands = all(try program.described())
            #expect(commands.count > 5)
            for command in commands {
                let arguments = command.arguments ?? []
                let words = arguments.flatMap(\.words)
                #expect(Set(words).count == words.count, "\(command.commandName): \(words)")
                let positional = arguments.filter { $0.kind == .positional }
                #expect(!positional.dropLast().contains { $0.isRepeating }, "\(command.commandName): \(positional)")
                let alwaysSet = arguments.filter { $0.kind == .flag && $0.defaultValue == "true" && $0.names?.count == 1 }
                #expect(alwaysSet.isEmpty, "\(command.commandName): \(alwaysSet)")
            }
        }
    }
}
