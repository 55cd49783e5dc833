import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct EnforcementReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enforcement", abstract: "Show what would be refused if the apps enforced their verdicts.",
        discussion: """
            Counts the recorded rejections that were answered ACCEPTED because their app does not enforce them ('enforce'), by reason, platform, \
            model, OS version and app version, each with the share of devices that look honest: registered ones without a replay or a \
            revocation in the period. The caller needs the role 'operate'.
            """)

    @OptionGroup var server: ServerOptions

    @Option(
        help: ArgumentHelp(
            "From this time on: an age such as 24h or 7d, or a time such as 2026-04-21T18:13:13Z.", valueName: "time"))
    var since: PastTime = .lastWeek

    @Option(help: ArgumentHelp("Before this time.", valueName: "time"))
    var until: PastTime?

    @Option(help: "Only verdicts of this app.")
    var app: AppID?

    @Option(help: ArgumentHelp("Show so many groups of each kind.", valueName: "count"))
    var top: Int = 20

    @Flag(help: "Print a JSON object.")
    var json = false

    @Option(help: ArgumentHelp("Also write a page with plots, which needs no other file.", valueName: "file"))
    var html: String?

    func validate() throws {
        guard top >= 1 else { throw ValidationError("--top must be at least 1.") }
    }

    func run() async throws {
        let now = SystemClock().now()
        let (start, end) = (since.timestamp(now: now), until?.timestamp(now: now) ?? now)
        guard start < end else { throw ValidationError("--since must be before --until.") }
        var filter = AssayClient.VerdictFilter()
        (filter.app, filter.decision, filter.since, filter.until) = (app, .rejected, start, end)
        var state = Assay_V1_VerdictRecordState()
        var records: [Assay_V1_VerdictRecord] = []
        try await server.with { client throws(AssayError) in
            let read = try await PageReader.show(nil) { token throws(AssayError) in
                let page = try await client.verdicts(filter, pageSize: 200, pageToken: token, timeout: server.limit)
                state = page.state
                return (page.records, page.nextPageToken)
            } each: {
                records.append($0)
            }
            if read == 0 { try await client.requireApp(app, timeout: server.limit) }
        }
        let report = EnforcementReport(records, since: start, until: end, app: app)
        if let html { try OutputFile.write(report.page(limit: top), to: html) }
        if json { Console.print(json: report.json) } else { report.lines(limit: top).forEach(Console.print) }
        for line in state.footer { Console.say(line) }
    }
}
