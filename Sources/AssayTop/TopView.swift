package import AssayAPI

/// What `assay top` shows: rates and times between two samples, and the status.
package struct TopView: Sendable {
    package struct Timing: Sendable, Equatable {
        package let name: String
        package let rate: Double
        package var errors = 0.0
        /// In seconds; `nil` if nothing was recorded.
        package let median: Double?
        package let p99: Double?
    }

    package struct App: Sendable, Equatable {
        package let name: String
        package let verdicts: Double
        package let rejected: Double
        package let unavailable: Double
        /// The mean time of its verdicts in seconds; `nil` without one.
        package let meanTime: Double?
    }

    package struct Rejection: Sendable, Equatable {
        package let app: String
        package let reason: String
        package let rate: Double
    }

    package struct Feed: Sendable, Equatable {
        package let name: String
        /// In seconds; `nil` before the first list.
        package let age: Double?
        package let limit: Double
        package let isUsable: Bool
        /// Whether an app needs it.
        package let isWanted: Bool
        package let isFailing: Bool

        package init(name: String, age: Double?, limit: Double, isUsable: Bool, isWanted: Bool, isFailing: Bool) {
            (self.name, self.age, self.limit) = (name, age, limit)
            (self.isUsable, self.isWanted, self.isFailing) = (isUsable, isWanted, isFailing)
        }
    }

    package struct Concern: Sendable, Equatable {
        package let code: String
        package let message: String
        package let app: String
    }

    /// Milliseconds since 1970.
    package let time: Int64
    package let seconds: Double
    package let version: String
    /// Since the daemon was started, in seconds.
    package let uptime: Double
    package let isReady: Bool
    package let concerns: [Concern]
    package let accepted: Double
    package let rejected: Double
    package let repeated: Double
    package let unavailable: Double
    package let refusedCalls: Double
    package let connections: Int
    package let callsInFlight: Int
    package let callsWaiting: Int
    /// Entries that share a commit, on average; `nil` without a commit.
    package let commitSize: Double?
    /// Those that were called, the busiest first.
    package let methods: [Timing]
    /// In the order of the pipeline.
    package let stages: [Timing]
    /// Those with verdicts, the slowest first.
    package let apps: [App]
    /// The most frequent first.
    package let rejections: [Rejection]
    package let feeds: [Feed]

    package init(from earlier: MetricsSample, to later: MetricsSample, _ status: Assay_V1_StatusResponse) {
        let difference = SampleDifference(from: earlier, to: later)
        (time, seconds, version) = (later.time, difference.seconds, later.version)
        uptime = Double(later.time - later.startedAt) / 1000
        isReady = later.value("assay_ready") == 1
        concerns = status.attention.map { Concern(code: $0.code, message: $0.message, app: $0.app) }
        func verdicts(_ decision: String) -> Double { difference.rate("assay_verdicts_total") { $0["decision"] == decision } }
        (accepted, rejected, repeated) = (verdicts("accepted"), verdicts("rejected"), verdicts("repeated"))
        unavailable = difference.rate("assay_verdicts_unavailable_total")
        refusedCalls = difference.rate("assay_calls_refused_total")
        func count(_ family: String) -> Int { Int(clamping: Int64(later.value(family) ?? 0)) }
        connections = count("assay_connections")
        (callsInFlight, callsWaiting) = (count("assay_calls_in_flight"), count("assay_calls_waiting"))
        commitSize = difference.meanCommit
        methods = difference.timings(
            "assay_call_duration_seconds", by: "method",
            errors: difference.rates("assay_calls_total", by: "method") { $0["status"] != "OK" }
        ).filter { $0.rate > 0 || $0.errors > 0 }.sorted { ($1.rate + $1.errors, $0.name) < ($0.rate + $0.errors, $1.name) }
        let stages = difference.timings("assay_stage_duration_seconds", by: "stage")
        let order = ["prepare", "appraise", "decide", "commit"]
        self.stages = order.compactMap { name in stages.first { $0.name == name } }
        apps = difference.apps
        rejections = difference.rates("assay_verdicts_total")
            .filter { $0.labels["decision"] == "rejected" && $0.rate > 0 }
            .reduce(into: [String: [String: Double]]()) { sums, series in
                sums[series.labels["app"] ?? "", default: [:]][series.labels["reason"] ?? "", default: 0] += series.rate
            }
            .flatMap { app, reasons in reasons.map { Rejection(app: app, reason: $0.key, rate: $0.value) } }
            .sorted { ($1.rate, $0.app, $0.reason) < ($0.rate, $1.app, $1.reason) }
        feeds = status.feeds.map { feed in
            Feed(
                name: feed.feed, age: feed.id.isEmpty ? nil : Double(status.nowUnixMs - feed.asOfUnixMs) / 1000,
                limit: Double(feed.maxAgeMs) / 1000, isUsable: feed.unavailable.isEmpty && !feed.id.isEmpty,
                isWanted: feed.wanted, isFailing: !feed.problem.isEmpty)
        }
    }
}

extension SampleDifference {
    fileprivate func timings(_ family: String, by label: String, errors: [String: Double] = [:]) -> [TopView.Timing] {
        let answered = histograms(family, by: label)
        return Set(answered.keys).union(errors.keys).map { name in
            let buckets = answered[name]
            return TopView.Timing(
                name: name, rate: Double(buckets?.count ?? 0) / seconds, errors: errors[name] ?? 0,
                median: buckets?.quantile(0.5), p99: buckets?.quantile(0.99))
        }
    }

    /// The slowest first.
    fileprivate var apps: [TopView.App] {
        let verdicts = rates("assay_verdicts_total", by: "app")
        let rejected = rates("assay_verdicts_total", by: "app") { $0["decision"] == "rejected" }
        let unavailable = rates("assay_verdicts_unavailable_total", by: "app")
        let times = rates("assay_verdict_seconds_total", by: "app")
        return Set(verdicts.keys).union(unavailable.keys).compactMap { app in
            let (all, missed) = (verdicts[app] ?? 0, unavailable[app] ?? 0)
            guard all + missed > 0 else { return nil }
            return TopView.App(
                name: app, verdicts: all, rejected: rejected[app] ?? 0, unavailable: missed,
                meanTime: times[app].map { $0 / (all + missed) })
        }.sorted { ($1.meanTime ?? 0, $0.name) < ($0.meanTime ?? 0, $1.name) }
    }

    fileprivate var meanCommit: Double? {
        let buckets = histograms("assay_ledger_commit_entries", by: "")[""]
        let commits = Double(buckets?.count ?? 0)
        guard commits > 0 else { return nil }
        let entries = histograms("assay_stage_duration_seconds", by: "stage")["commit"]?.count ?? 0
        return Double(entries) / commits
    }
}
