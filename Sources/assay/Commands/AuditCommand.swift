import ArgumentParser
import AssayCore

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Read the audit log, keep a copy of it, and find out whether it was changed.",
        subcommands: [
            AuditTailCommand.self, AuditExportCommand.self, AuditVerifyCommand.self, AuditClaimsCommand.self,
            AuditForgetClaimsCommand.self,
        ])
}

/// Which records to show.
struct AuditFilterOptions: ParsableArguments {
    @Option(help: "Records of this app.")
    var app: AppID?

    @Option(help: ArgumentHelp("Records of this device.", valueName: "dev_…"))
    var device: DeviceID?

    @Option(help: ArgumentHelp("Records of this caller.", valueName: "name"))
    var caller: String?

    @Option(help: ArgumentHelp("Records from this time on, e.g. 2026-04-21T18:13:13Z.", valueName: "time"))
    var since: Timestamp?

    var filter: AuditFilter { AuditFilter(app: app, device: device, caller: caller, since: since) }
}
