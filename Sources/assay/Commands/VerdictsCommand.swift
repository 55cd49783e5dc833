import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct VerdictsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verdicts", abstract: "Look up why requests were rejected, and whether a file was accepted.",
        discussion: """
            The daemon records rejections, and calls that it could not judge, for a while. Every verdict has a request id, which the log and \
            the audit log have too.
            """,
        subcommands: [VerdictsListCommand.self, VerdictsShowCommand.self, VerdictsFindCommand.self])
}

struct VerdictsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List recorded verdicts, the newest first.",
        discussion: """
            Shows time, request id, app, decision, reason and check. Under a flood one record stands for many verdicts, which is shown as \
            "×100". The caller needs the role 'operate'.
            """)

    @OptionGroup var server: ServerOptions

    @Flag(help: "Only rejections.")
    var rejected = false

    @Flag(help: "Only rejections that were answered ACCEPTED, because the app did not enforce them.")
    var wouldReject = false

    @Flag(help: "Only calls that could not be judged.")
    var unjudged = false

    @Flag(help: "Only acceptances; the daemon records them with 'verdicts.record: all'.")
    var accepted = false

    @Option(
        help: ArgumentHelp(
            "From this time on: an age such as 15m, 1h or 7d, or a time such as 2026-04-21T18:13:13Z.", valueName: "time"))
    var since: PastTime?

    @Option(help: ArgumentHelp("Before this time.", valueName: "time"))
    var until: PastTime?

    @Option(help: "Only verdicts of this app.")
    var app: AppID?

    @Option(help: "Only requests of this caller, by its name in the configuration.")
    var caller: String = ""

    @Option(help: ArgumentHelp("Only verdicts about this device.", valueName: "dev_…"))
    var device: DeviceID?

    @Option(help: "Only requests for this account or user; needs --app.")
    var subject: String = ""

    @Option(help: ArgumentHelp("Only verdicts with this reason, e.g. nonce_mismatch.", valueName: "code"))
    var reason: String = ""

    @Option(help: ArgumentHelp("Stop after this many records.", valueName: "count"))
    var limit: Int = 100

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        guard [rejected, wouldReject, unjudged, accepted].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give one of --rejected, --would-reject, --unjudged and --accepted.")
        }
        guard subject.isEmpty || app != nil else { throw ValidationError("--subject needs --app.") }
        guard limit >= 1 else { throw ValidationError("--limit must be at least 1.") }
    }

    private var isFiltered: Bool {
        rejected || wouldReject || unjudged || accepted || since != nil || until != nil || app != nil || device != nil
            || ![caller, subject, reason].allSatisfy(\.isEmpty)
    }

    private var filter: AssayClient.VerdictFilter {
        var filter = AssayClient.VerdictFilter()
        (filter.app, filter.caller, filter.device, filter.reason) = (app, caller, device, reason)
        filter.subject = Array(subject.utf8)
        filter.decision = rejected ? .rejected : unjudged ? .unjudged : accepted ? .accepted : .unspecified
        filter.wouldReject = wouldReject
        (filter.since, filter.until) = (since?.timestamp(), until?.timestamp())
        return filter
    }

    func run() async throws {
        let filter = filter
        var state = Assay_V1_VerdictRecordState()
        let shown = try await server.with { client throws(AssayError) in
            let shown = try await PageReader.show(limit) { token throws(AssayError) in
                let page = try await client.verdicts(
                    filter, pageSize: UInt32(min(limit, 100)), pageToken: token, timeout: server.limit)
                state = page.state
                return (page.records, page.nextPageToken)
            } each: { record in
                if json { Console.print(json: record.json, pretty: false) } else { Console.print(record.row) }
            }
            if shown == 0 { try await client.requireApp(app, timeout: server.limit) }
            return shown
        }
        if shown == 0 { try FilterNames.check(reason: reason) }
        if shown == 0 { Console.sayEmpty("no verdict\(isFiltered ? " that is as asked for" : "") is on record") }
        for line in state.footer { Console.say(line) }
    }
}

struct VerdictsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show why a request was answered as it was.",
        discussion: """
            Shows each check in order with the values that were compared, the key of the configuration that decides it, and what usually \
            causes the reason and how to fix it. The request id is in the verdict and in the log; its first 8 digits are enough if no other \
            begins with them. The caller needs the role 'operate'; with the role 'verify' it sees reason and sentence of its own requests.

            Exit status 1 if no such verdict is on record.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The request id, in hexadecimal, or its first digits, at least 8.", valueName: "request-id"))
    var requestID: RequestIDArgument

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let record = try await server.with { client throws(AssayError) in
            let record = try await client.verdict(requestID: requestID.bytes, timeout: server.limit)
            guard requestID.begins(record.requestID) else {
                throw AssayError(.notFound, "no verdict with this request id is on record", reason: "unknown_request")
            }
            return record
        }
        if json { Console.print(json: record.wholeJSON) } else { record.lines.forEach(Console.print) }
    }
}
