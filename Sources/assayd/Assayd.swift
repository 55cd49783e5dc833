import ArgumentParser
import AssayCommandLine
import AssayCore
import AssayDaemon

@main
struct Assayd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assayd", abstract: "The Assay daemon: appraises attestation evidence.",
        discussion:
            """
            Start it with --config FILE, which is short for: assayd run --config FILE. What else 'run' takes stands under \
            'assayd help run'. --config may stand before or after a command. To try it out without a file: assayd dev.

            Exit status: 0 stopped as asked; 65 the configuration cannot be used; 69 it could not start; 71 the clock seems to \
            be wrong; 64 wrong usage.
            """,
        version: Version.text,
        subcommands: [
            RunCommand.self, DevCommand.self, TestServerCommand.self, CheckConfigCommand.self, NewLedgerCommand.self,
            MigrateCommand.self,
            BackupCommand.self,
            RestoreCommand.self,
            ForgetChallengesCommand.self, StoreCommand.self, AuditCommand.self,
        ],
        defaultSubcommand: RunCommand.self)

    /// The options that may stand before a command, and whether a value follows.
    static let movable = ["--config": true, "-c": true]

    static func main() async { await run(moving: movable) }
}
