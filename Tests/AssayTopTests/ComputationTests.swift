import AssayAPI
import AssayTop
import SwiftProtobuf
import Testing

extension MetricsSample {
    /// A sample of counters, by their names and a label `app`, and of one histogram.
    static func made(
        at time: Int64, startedAt: Int64 = 0, _ counters: [String: [String: Double]] = [:],
        histogram: [String: [UInt64]] = [:]
    ) -> MetricsSample {
        var families = counters.mapValues { series in
            series.map { Series(labels: ["app": $0.key], value: .number($0.value)) }
        }
        if !histogram.isEmpty {
            families["durations"] = histogram.map {
                Series(labels: ["method": $0.key], value: .histogram(Buckets(bounds: [1, 2, 4], counts: $0.value)))
            }
        }
        return MetricsSample(time: time, startedAt: startedAt, families: families)
    }
}

@Suite("Rates between two samples")
struct SampleDifferenceTests {
    @Test("A rate is what a counter rose by, a second")
    func rates() {
        let difference = SampleDifference(
            from: .made(at: 1000, ["calls": ["a": 10, "b": 5]]), to: .made(at: 3000, ["calls": ["a": 30, "b": 5]]))
        #expect(difference.seconds == 2)
        #expect(difference.rates("calls", by: "app") == ["a": 10, "b": 0])
        #expect(difference.rate("calls") == 10 && difference.rate("calls") { $0["app"] == "b" } == 0)
        #expect(difference.rate("unknown") == 0)
    }

    @Test("A counter that is lower than before was reset, and a series that was not there begins at zero")
    func resets() {
        let difference = SampleDifference(
            from: .made(at: 0, ["calls": ["reset": 100, "gone": 7]]), to: .made(at: 1000, ["calls": ["reset": 3, "new": 4]]))
        #expect(difference.rates("calls", by: "app") == ["reset": 3, "new": 4])
    }

    @Test("After a restart all counts begin at zero, and the time is that since the start")
    func restart() {
        let difference = SampleDifference(
            from: .made(at: 10_000, startedAt: 1, ["calls": ["a": 5]], histogram: ["m": [1, 1, 1, 1]]),
            to: .made(at: 20_000, startedAt: 15_000, ["calls": ["a": 50]], histogram: ["m": [2, 2, 2, 2]]))
        #expect(difference.seconds == 5 && difference.rate("calls") == 10)
        #expect(difference.histograms("durations", by: "method")["m"]?.count == 8)
    }

    @Test("Two samples of one moment, or in the wrong order, give no infinite rate", arguments: [5000, 1000])
    func noTime(_ later: Int64) {
        let difference = SampleDifference(from: .made(at: 5000, ["c": ["a": 1]]), to: .made(at: later, ["c": ["a": 2]]))
        #expect(difference.seconds > 0 && difference.rate("c").isFinite)
    }

    @Test("A histogram's buckets are subtracted; one of other bounds, or with a lower bucket, counts from zero")
    func histograms() {
        let difference = SampleDifference(
            from: .made(at: 0, histogram: ["m": [1, 2, 3, 4], "reset": [9, 0, 0, 0]]),
            to: .made(at: 1000, histogram: ["m": [1, 4, 3, 5], "reset": [1, 1, 0, 0], "new": [0, 0, 0, 1]]))
        let found = difference.histograms("durations", by: "method").mapValues(\.counts)
        #expect(found == ["m": [0, 2, 0, 1], "reset": [1, 1, 0, 0], "new": [0, 0, 0, 1]])
    }
}

@Suite("Quantiles of buckets")
struct QuantileTests {
    private func quantile(_ share: Double, _ counts: [UInt64]) -> Double? {
        MetricsSample.Buckets(bounds: [1, 2, 4], counts: counts).quantile(share)
    }

    @Test(
        "A quantile is interpolated within its bucket",
        arguments: [
            (0.5, [10, 0, 0, 0] as [UInt64], 0.5), (1, [10, 0, 0, 0], 1), (0.5, [0, 10, 0, 0], 1.5), (0.5, [10, 10, 0, 0], 1),
            (0.75, [10, 10, 0, 0], 1.5), (0.99, [0, 0, 100, 0], 3.98), (0, [0, 10, 0, 0], 1),
        ])
    func interpolated(_ share: Double, _ counts: [UInt64], _ expected: Double) throws {
        #expect(abs(try #require(quantile(share, counts)) - expected) < 1e-9)
    }

    @Test("Values beyond the last bound count as the last bound")
    func beyond() { #expect(quantile(0.99, [1, 0, 0, 99]) == 4 && quantile(0.5, [0, 0, 0, 1]) == 4) }

    @Test("Nothing recorded, or a histogram that is not whole, has no quantile")
    func none() {
        #expect(quantile(0.5, [0, 0, 0, 0]) == nil && quantile(0.5, [1, 2]) == nil && quantile(0.5, []) == nil)
    }
}

@Suite("The view of assay top")
struct TopViewTests {
    private func series(_ labels: [String: String], _ value: Double) -> MetricsSample.Series {
        MetricsSample.Series(labels: labels, value: .number(value))
    }

    private func verdicts(_ app: String, _ decision: String, _ reason: String, _ value: Double) -> MetricsSample.Series {
        series(["app": app, "format": "f", "decision": decision, "reason": reason, "assurance": ""], value)
    }

    private func durations(_ label: String, _ counts: [String: UInt64]) -> [MetricsSample.Series] {
        counts.map { name, count in
            MetricsSample.Series(
                labels: [label: name], value: .histogram(.init(bounds: [0.001, 0.01], counts: [count, 0, 0])))
        }
    }

    private func view() -> TopView {
        let earlier = MetricsSample(time: 0, startedAt: -3_700_000, families: [:])
        let later = MetricsSample(
            time: 10_000, startedAt: -3_700_000, version: "1.2.3",
            families: [
                "assay_ready": [series([:], 1)], "assay_connections": [series([:], 7)],
                "assay_verdicts_total": [
                    verdicts("slow", "accepted", "", 10), verdicts("fast", "accepted", "", 1000),
                    verdicts("fast", "rejected", "bad_signature", 50), verdicts("slow", "rejected", "device_blocked", 100),
                    verdicts("idle", "accepted", "", 0),
                ],
                "assay_verdicts_unavailable_total": [series(["app": "slow", "format": "f", "reason": "r"], 10)],
                "assay_verdict_seconds_total": [series(["app": "slow"], 12), series(["app": "fast"], 1.05)],
                "assay_calls_total": [
                    series(["method": "/assay.v1.Attestation/Verify", "status": "OK"], 1160),
                    series(["method": "/assay.v1.Attestation/Verify", "status": "UNAVAILABLE"], 10),
                ],
                "assay_call_duration_seconds": durations(
                    "method", ["/assay.v1.Attestation/Verify": 1160, "/assay.v1.Operations/Status": 0]),
                "assay_stage_duration_seconds": durations("stage", ["commit": 1010, "prepare": 1170, "appraise": 1170]),
                "assay_ledger_commit_entries": durations("", ["": 101]),
            ])
        let status = Assay_V1_StatusResponse.with {
            $0.nowUnixMs = 10_000_000
            $0.feeds = [
                .with {
                    ($0.feed, $0.id, $0.wanted, $0.asOfUnixMs, $0.maxAgeMs) = (
                        "google-revoked", "x", true, 6_400_000, 86_400_000
                    )
                }
            ]
            $0.attention = [.with { ($0.code, $0.message, $0.app) = ("feed_outdated", "the list is old", "slow") }]
        }
        return TopView(from: earlier, to: later, status)
    }

    @Test("Rates, times, apps, reasons and lists are computed from the samples and the status")
    func computed() {
        let view = view()
        #expect(view.isReady && view.seconds == 10 && view.uptime == 3710 && view.connections == 7)
        #expect(view.accepted == 101 && view.rejected == 15 && view.repeated == 0 && view.unavailable == 1)
        #expect(view.methods.map(\.name) == ["/assay.v1.Attestation/Verify"], "a method that was not called is not shown")
        #expect(view.methods.first?.rate == 116 && view.methods.first?.errors == 1)
        #expect(view.stages.map(\.name) == ["prepare", "appraise", "commit"], "in the order of the pipeline")
        #expect(view.apps.map(\.name) == ["slow", "fast"], "the slowest first, and none without a verdict")
        #expect(view.apps.first?.unavailable == 1)
        for (app, time) in zip(view.apps, [0.1, 0.001]) {
            #expect(abs((app.meanTime ?? 0) - time) < 1e-9, "\(app.name): \(app.meanTime ?? 0)")
        }
        #expect(view.rejections.map(\.reason) == ["device_blocked", "bad_signature"] && view.rejections.first?.rate == 10)
        #expect(
            view.feeds == [
                .init(name: "google-revoked", age: 3600, limit: 86_400, isUsable: true, isWanted: true, isFailing: false)
            ])
        #expect(view.concerns.map(\.code) == ["feed_outdated"] && view.commitSize == 10)
    }

    @Test("The text names what the view has, in plain characters")
    func text() {
        let lines = TopText(view(), width: 100).lines.map { $0.map(\.text).joined() }
        #expect(lines.first == "assayd 1.2.3  up 1h1m  ready  over 10.0 s")
        for part in [
            "101.0 accepted, 15.0 rejected, 0 repeated, 1.00 unavailable", "Attestation/Verify", "116.0", "slow", "100 ms",
            "device_blocked (slow)", "google-revoked", "1h0m", "feed_outdated (slow): the list is old", "10.0 entries a commit",
        ] { #expect(lines.contains { $0.contains(part) }, "\(part)") }
        #expect(lines.allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }

    @Test(
        "No line is wider than the terminal, and there are no more lines than it has", arguments: [20, 40, 80, 200],
        [5, 10, 24, 60])
    func fits(_ width: Int, _ height: Int) {
        let lines = TopText(view(), width: width, height: height).lines
        #expect(lines.count <= height && lines.allSatisfy { $0.reduce(0) { $0 + $1.text.count } <= width })
        #expect(lines.first?.first?.text.hasPrefix("assayd") == true)
    }

    @Test("Without any traffic the view says so without dividing by nothing")
    func empty() {
        let sample = MetricsSample(time: 5, startedAt: 0, families: [:])
        let view = TopView(from: sample, to: sample, Assay_V1_StatusResponse())
        #expect(!view.isReady && view.apps.isEmpty && view.methods.isEmpty && view.commitSize == nil && view.accepted == 0)
        #expect(TopText(view, width: 80).lines.count == 3)
    }

    @Test("A sample is read from the daemon's answer, histograms and labels included")
    func response() {
        let sample = MetricsSample(
            .with {
                ($0.nowUnixMs, $0.startedAtUnixMs, $0.version) = (5, 3, "1")
                $0.families = [
                    .with {
                        ($0.name, $0.kind, $0.labels) = ("a_total", "counter", ["x", "y"])
                        $0.series = [.with { ($0.labels, $0.value) = (["1", "2"], 3) }]
                    },
                    .with {
                        ($0.name, $0.kind) = ("h", "histogram")
                        $0.series = [.with { ($0.histogram.bounds, $0.histogram.counts) = ([1], [2, 3]) }]
                    },
                ]
            })
        #expect(sample.time == 5 && sample.startedAt == 3 && sample.version == "1")
        #expect(sample.series("a_total") == [.init(labels: ["x": "1", "y": "2"], value: .number(3))])
        #expect(sample.series("h").first?.value == .histogram(.init(bounds: [1], counts: [2, 3])))
        #expect(sample.value("h") == nil && sample.value("none") == nil)
    }
}
