import ArgumentParser
import AssayClient
import AssayCore

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Read the audit log, keep a copy of it, and find out whether it was changed.",
        subcommands: [
            AuditTailCommand.self, AuditExportCommand.self, AuditVerifyCommand.self, AuditClaimsCommand.self,
            AuditForgetClaimsCommand.self,
        ])
}

/// Whose chain to read.
struct AuditWriterOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The writer whose chain is read, where several daemons share the ledger; without it the daemon's own.",
            valueName: "name"))
    var writer: AuditWriter?

    /// `.only`: the daemon's own.
    var name: AuditWriter { writer ?? .only }
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

    var isAny: Bool { app == nil && device == nil && caller == nil && since == nil }

    var filter: AuditFilter { AuditFilter(app: app, device: device, caller: caller, since: since) }
}

struct AuditClaimsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claims", abstract: "Show the claims beside an audit record.",
        discussion: """
            Kept for apps that are configured so (audit_claims). Exit status: 0 shown; 1 there are none, or their digest \
            is not the record's; 69 the daemon is unavailable; 77 not permitted.
            """)

    @OptionGroup var server: ServerOptions

    @OptionGroup var writer: AuditWriterOption

    @Option(help: "The app of the record.")
    var app: AppID

    @Argument(help: "The number of the record.")
    var number: Int64

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let kept = try await server.with { client throws(AssayError) in
            try await client.auditClaims(of: number, by: writer.name, app: app, timeout: server.limit)
        }
        guard let kept else {
            throw Console.failure("no_claims", "no claims are kept beside record \(number)")
        }
        if json {
            Console.print(json: ["number": number, "genuine": kept.isGenuine, "claims": kept.claims.json])
        } else {
            for claim in kept.claims.all { Console.print("\(claim.name) = \(claim.value.text)") }
        }
        guard kept.isGenuine else {
            throw Console.failure(
                "claims_changed", "these are not the claims of which record \(number) holds the digest")
        }
    }
}

struct AuditForgetClaimsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget-claims", abstract: "Delete the claims beside all audit records of a device.",
        discussion: "The records stay, and their chain stays valid.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the device belongs to.")
    var app: AppID

    @Argument(help: ArgumentHelp("The device's id.", valueName: "dev_…"))
    var device: DeviceID

    func run() async throws {
        let count = try await server.with { client throws(AssayError) in
            try await client.forgetAuditClaims(of: device, app: app, timeout: server.limit)
        }
        Console.print("forgot the claims beside \(count) records")
    }
}
