import ArgumentParser
import AssayAPI
import AssayClient
import AssayTop
import Foundation

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show what the daemon does, live: rates, times, reasons, lists, and what needs attention.",
        discussion: """
            Takes the daemon's metrics and status every few seconds and shows what happened in between, until Ctrl-C. Into a pipe or a \
            file, one view follows the other without control characters. Takes the role observe for all apps.

            Exit status: 0 after --once or Ctrl-C; 69 if the daemon cannot be reached; 77 not permitted.
            """)

    @OptionGroup var server: ServerOptions

    @Option(
        help: ArgumentHelp("The time between two samples, such as 2s; a number alone is seconds.", valueName: "duration"))
    var interval = SecondsArgument(2)

    @Flag(help: "Print one view, over one interval, and exit.")
    var once = false

    @Flag(help: "Print a JSON object for each interval, on a line of its own.")
    var json = false

    func validate() throws {
        guard (100...3_600_000).contains(interval.milliseconds) else {
            throw ValidationError("--interval must be from 100ms to 1h.")
        }
    }

    func run() async throws {
        let screen = Console.isScreen && !json && !once ? TerminalScreen() : nil
        defer { screen?.close() }
        try await server.with { client throws(AssayError) in
            var earlier = try await sample(client).metrics
            screen?.show(["assay top: waiting for the first \(interval.defaultValueDescription)"])
            while true {
                do { try await Task.sleep(for: interval.duration) } catch { return }
                let (later, status) = try await sample(client)
                show(TopView(from: earlier, to: later, status), on: screen)
                guard !once else { return }
                earlier = later
            }
        }
    }

    private func sample(
        _ client: AssayClient
    ) async throws(AssayError) -> (metrics: MetricsSample, status: Assay_V1_StatusResponse) {
        let metrics = try await client.metrics(timeout: server.limit)
        return (MetricsSample(metrics), try await client.status(timeout: server.limit))
    }

    private func show(_ view: TopView, on screen: TerminalScreen?) {
        if json { return Console.print(json: view.json, pretty: false) }
        let size = TerminalScreen.size
        let text = TopText(view, width: size.columns, height: screen == nil ? nil : size.rows)
        let lines = text.lines.map { line in line.map { Console.styled($0.text, $0.style.ofConsole) }.joined() }
        if let screen { return screen.show(lines) }
        lines.forEach(Console.print)
        if !once { Console.print("") }
    }
}

extension TopText.Style {
    fileprivate var ofConsole: Console.Style? {
        switch self {
        case .plain: nil
        case .bold: .bold
        case .good: .good
        case .bad: .bad
        case .faint: .faint
        }
    }
}

extension TopView {
    fileprivate var json: [String: Any] {
        func times(_ timings: [Timing]) -> [[String: Any]] {
            timings.map { timing in
                var object: [String: Any] = ["name": timing.name, "rate": timing.rate, "errors": timing.errors]
                object["p50_seconds"] = timing.median
                object["p99_seconds"] = timing.p99
                return object
            }
        }
        var object: [String: Any] = [
            "time_unix_ms": time, "seconds": seconds, "version": version, "uptime_seconds": uptime, "ready": isReady,
            "attention": concerns.map { ["code": $0.code, "message": $0.message, "app": $0.app] },
            "accepted": accepted, "rejected": rejected, "repeated": repeated, "unavailable": unavailable,
            "refused_calls": refusedCalls, "connections": connections, "calls_in_flight": callsInFlight,
            "calls_waiting": callsWaiting, "methods": times(methods), "stages": times(stages),
            "apps": apps.map { app in
                var object: [String: Any] = [
                    "app": app.name, "verdicts": app.verdicts, "rejected": app.rejected, "unavailable": app.unavailable,
                ]
                object["mean_seconds"] = app.meanTime
                return object
            },
            "rejections": rejections.map { ["app": $0.app, "reason": $0.reason, "rate": $0.rate] as [String: Any] },
            "feeds": feeds.map { feed in
                var object: [String: Any] = [
                    "feed": feed.name, "max_age_seconds": feed.limit, "usable": feed.isUsable, "wanted": feed.isWanted,
                    "failing": feed.isFailing,
                ]
                object["age_seconds"] = feed.age
                return object
            },
        ]
        object["entries_per_commit"] = commitSize
        return object
    }
}
