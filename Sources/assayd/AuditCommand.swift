import ArgumentParser
import AssayAudit
import AssayConfiguration
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
            The file may be a copy, or that of a running daemon; it is not changed. "assay audit verify" does the same \
            with a daemon and with an exported file.

            Exit status: 0 whole; 1 broken, an expected head is not there, or the log begins elsewhere than expected; 64 wrong \
            usage; 69 the file cannot be read.
            """)

    @Argument(help: "The ledger's file.")
    var ledger: String

    @OptionGroup var expected: AuditCheckOptions

    func run() throws {
        let expectations = try expected.expectations()
        let report: AuditLogReport
        do {
            report = try expectations.check(FixedConfiguration.Store.backend(at: ledger))
        } catch {
            FileHandle.standardError.write(Data("assayd: \(ledger): \(error)\n".utf8))
            throw ExitCode(69)
        }
        report.lines.forEach { print($0) }
        guard report.isWhole else { throw ExitCode(1) }
    }
}
