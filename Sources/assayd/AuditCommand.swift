import ArgumentParser
import AssayAudit
import AssayCommandLine
import AssayConfiguration
import AssayCore
import AssayDaemon
import Foundation

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Verify the audit log in a ledger's file.", subcommands: [AuditVerifyCommand.self])
}

struct AuditVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify the chain of the audit log in a ledger's file and find the first break.",
        discussion: """
            The file may be a copy, or that of a running daemon; it is not changed. In a database the chains of all writers are verified. \
            "assay audit verify" does the same with a daemon and with an exported file.

            Exit status: 0 whole; 1 broken, an expected head is not there, or the log begins elsewhere than expected; 64 wrong \
            usage; 69 the file cannot be read.
            """)

    @Argument(help: "The ledger's file.")
    var ledger: String?

    @Option(
        name: .shortAndLong, help: "The configuration whose ledger is verified, in place of a file: also one in a database.")
    var config: String?

    @OptionGroup var expected: AuditCheckOptions

    func validate() throws {
        guard (ledger == nil) != (config == nil) else {
            throw ValidationError("Give the ledger's file, or --config with the configuration that names the ledger.")
        }
    }

    func run() throws {
        let expectations = try expected.expectations()
        let backend =
            try config.map { try Configuration.orExplain($0).fixed.store.backend }
            ?? FixedConfiguration.Store.backend(at: ledger ?? "")
        let report: AuditLogReport
        do {
            report = try expectations.check(backend)
        } catch {
            throw CommandFailure("ledger_unreadable", "\(backend.name): \(error)", exitStatus: StartupError.unavailable)
                .shown(as: "assayd: \(backend.name): \(error)")
        }
        report.lines.forEach { print($0) }
        guard report.isWhole else { throw ExitCode(1) }
    }
}
