import ArgumentParser
import AssayAPI
import AssayApps
import AssayClient
import AssayConfiguration
import AssayCore
import AssaySchemes
import Logging

struct PolicyReplayCommand: AsyncParsableCommand {
    /// The file cannot be read.
    private static let unreadable: Int32 = 2
    /// There was nothing that the candidate could judge.
    private static let nothingJudged: Int32 = 3

    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Judge recorded verdicts again under a candidate policy.",
        discussion: """
            The daemon records what verdicts went by for apps with a section 'record'. This command reads it and judges it again under the \
            apps of another configuration file, at the recorded times and over the recorded facts, in this process: the daemon's policy stays \
            as it is. It lists whose verdict would flip, and why. Without kept evidence registered devices alone are judged, by their claims; \
            what claims do not show is counted as not judged. The caller needs the role 'operate'. \(Documentation.page("operate/test-a-policy.md")) has an example.

            Exit status 0 if at most the share --max-flips of the judged verdicts flips, 1 if more do, 2 if the candidate cannot be read, 3 if \
            nothing could be judged.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: ArgumentHelp("The configuration file whose apps are the candidate.", valueName: "file"))
    var candidate: String

    @Option(
        help: ArgumentHelp(
            "Verdicts from this time on: an age such as 15m, 24h or 7d, or a time such as 2026-04-21T18:13:13Z.",
            valueName: "time"))
    var since: PastTime?

    @Option(help: ArgumentHelp("Verdicts before this time.", valueName: "time"))
    var until: PastTime?

    @Option(help: "Only verdicts of this app.")
    var app: AppID?

    @Option(help: ArgumentHelp("The share of judged verdicts that may flip, from 0 to 1.", valueName: "share"))
    var maxFlips: Double = 0

    @Option(help: ArgumentHelp("List at most this many flips of each app; all are counted.", valueName: "count"))
    var limit: Int = 100

    @Flag(help: "Leave kept evidence with the daemon and judge by claims alone.")
    var claimsOnly = false

    @Flag(help: "Print one JSON object a flip, and one an app at the end.")
    var json = false

    func validate() throws {
        guard (0...1).contains(maxFlips) else { throw ValidationError("--max-flips must be from 0 to 1.") }
        guard limit >= 0 else { throw ValidationError("--limit must not be negative.") }
    }

    func run() async throws {
        let file: Configuration
        do throws(ConfigurationError) {
            file = try Configuration.load(candidate)
        } catch {
            throw Console.failure("unreadable_input", "\(error)", status: Self.unreadable)
        }
        let runner = PolicyReplay(file, logger: Logger(label: "assay", factory: { _ in SwiftLogNoOpLogHandler() }))
        if let app, !runner.knows(app) {
            throw Console.failure("unreadable_input", "\(candidate) has no app \(app)", status: Self.unreadable)
        }
        let totals = try await server.with { client throws(AssayError) in try await replay(client, runner) }
        for (app, totals) in totals.sorted(by: { $0.key.text < $1.key.text }) {
            if json {
                Console.print(json: totals.json(of: app), pretty: false)
            } else {
                totals.lines(of: app).forEach(Console.print)
            }
        }
        let (judged, flips) = totals.values.reduce((UInt64(0), UInt64(0))) { ($0.0 + $1.judged, $0.1 + $1.flips) }
        guard judged > 0 else {
            throw Console.failure(
                "nothing_judged", "nothing could be judged: \(totals.isEmpty ? "no verdict is recorded" : "see above")",
                status: Self.nothingJudged)
        }
        let share = Double(flips) / Double(judged)
        guard share <= maxFlips else {
            throw Console.failure(
                "too_many_flips", "\(flips) of \(judged) judged verdicts flip, allowed is a share of \(maxFlips)")
        }
    }

    /// Reads and judges page by page.
    private func replay(
        _ client: AssayClient, _ runner: PolicyReplay
    ) async throws(AssayError) -> [AppID: ReplayTotals] {
        var runner = runner
        var progress = ProgressBar("verdicts")
        var (token, shown): ([UInt8], [AppID: Int]) = ([], [:])
        // A page later in the recordings must not move the beginning.
        let (since, until) = (since?.timestamp(), until?.timestamp())
        repeat {
            let page = try await client.recordings(
                of: app, since: since, until: until, withEvidence: !claimsOnly, pageSize: 200, pageToken: token,
                timeout: server.limit)
            if token.isEmpty { progress.total = page.total }
            for recording in page.recordings {
                let flip: ReplayedFlip?
                do {
                    flip = try await runner.judge(Array(recording.content), evidence: Array(recording.evidence)) { digest in
                        try await Self.text(of: digest, client, server.limit)
                    }
                } catch {
                    progress.clear()
                    throw error as? AssayError ?? AssayError(.internalError, "\(error)")
                }
                progress.advance()
                guard let flip else { continue }
                shown[flip.app, default: 0] += 1
                guard shown[flip.app, default: 0] <= limit else { continue }
                progress.clear()
                if json { Console.print(json: flip.json, pretty: false) } else { flip.lines.forEach(Console.print) }
            }
            token = Array(page.nextPageToken)
        } while !token.isEmpty
        progress.clear()
        if runner.unreadable > 0 {
            Console.say(
                "\(runner.unreadable) recordings are of another version and were left out; use the assay of the daemon's version"
            )
        }
        return runner.totals
    }

    /// `nil` for a policy that is not on record.
    private static func text(
        of digest: [UInt8], _ client: AssayClient, _ timeout: Duration
    ) async throws(AssayError) -> String? {
        do throws(AssayError) {
            return try await client.policy(digest: digest, timeout: timeout).text
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}
