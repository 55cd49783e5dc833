import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct PolicyShadowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shadow", abstract: "Show what shadow policies decide otherwise.",
        discussion: """
            An app's section 'shadow' is a second policy, which judges each verdict after the answer and decides nothing. Shows what would \
            change since both policies are in force, and the last differences, the newest first. The daemon forgets them when it ends; the \
            metric assay_shadow_verdicts counts them. The caller needs the role 'operate'.

            Exit status 1 if no app has a shadow policy.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "Only differences of this app.")
    var app: AppID?

    @Option(
        help: ArgumentHelp(
            "Differences from this time on: an age such as 15m, 1h or 7d, or a time such as 2026-04-21T18:13:13Z.",
            valueName: "time"))
    var since: PastTime?

    @Option(help: ArgumentHelp("List at most this many differences of each app.", valueName: "count"))
    var limit: Int = 100

    @Flag(help: "Print one JSON object an app.")
    var json = false

    func validate() throws {
        guard (1...500).contains(limit) else { throw ValidationError("--limit must be from 1 to 500.") }
    }

    func run() async throws {
        let reports = try await server.with { client throws(AssayError) in
            let reports = try await client.differences(
                of: app, since: since?.timestamp(), limit: UInt32(limit), timeout: server.limit)
            if reports.isEmpty { try await client.requireApp(app, timeout: server.limit) }
            return reports
        }
        for report in reports {
            if json { Console.print(json: report.json, pretty: false) } else { report.lines.forEach(Console.print) }
        }
        guard !reports.isEmpty else {
            throw Console.failure("no_shadow_policy", "no app\(app.map { " \($0)" } ?? "") has a shadow policy")
        }
    }
}
