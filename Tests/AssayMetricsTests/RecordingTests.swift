import CoreMetrics
import Testing

@testable import AssayMetrics

@Suite("Recording metrics")
struct RecordingTests {
    @Test("A value that equals a bound is in its bucket, and a greater one in the next")
    func bounds() {
        let histogram = Histogram(counts: [1, 2, 4])
        for value: UInt64 in [0, 1, 2, 3, 4, 5, .max] { histogram.record(value) }
        #expect(histogram.snapshot.counts == [2, 1, 2, 2] && histogram.snapshot.count == 7)
    }

    @Test("The bounds of counts are shown as the numbers that they are")
    func shownBounds() {
        #expect(Histogram(counts: [0, 1, 10]).snapshot.bounds == [0, 1, 10])
    }

    @Test("Runs of values count as the values one by one do")
    func runs() {
        let (one, other) = (Histogram(counts: [10, 20]), Histogram(counts: [10, 20]))
        var run = Histogram.Run(other)
        for value: UInt64 in [1, 2, 15, 15, 3, 99, 99, 99, 1] {
            one.record(value)
            run.record(value)
        }
        run.flush()
        run.flush()
        #expect(one.snapshot == other.snapshot)
    }

    @Test("Values that many tasks record at once are all counted")
    func concurrency() async {
        let histogram = Histogram(counts: [10, 100])
        await withDiscardingTaskGroup { group in
            for task in 0..<8 {
                group.addTask { for value in 0..<1000 { histogram.record(UInt64((value + task) % 200)) } }
            }
        }
        #expect(histogram.snapshot.count == 8000)
    }

    @Test("Beyond the limit of series values are counted as other, and no count is lost")
    func labels() {
        let family = MetricFamily("test", .counter, labels: ["a", "b"], "A.")
        let counters = LabelledCounters(family, limit: 10)
        for number in 0..<1000 { counters.count(["\(number)", "x"]) }
        counters.count(["3", "x"], by: 5)
        #expect(counters.counts.count == 11 && counters.counts[["other", "other"]] == 990 && counters.counts[["3", "x"]] == 6)
    }

    @Test("What a library records is exposed under a name that Prometheus accepts")
    func libraries() throws {
        let metrics = LibraryMetrics()
        metrics.makeCounter(label: "http.server.requests", dimensions: [("status-code", "200\n\"")]).increment(by: 3)
        metrics.makeTimer(label: "http duration", dimensions: []).recordNanoseconds(2_000_000)
        metrics.makeMeter(label: "assay_devices", dimensions: []).set(9.5)
        metrics.makeRecorder(label: "body", dimensions: [("le", "x")], aggregate: true).record(Double.nan)
        metrics.makeCounter(label: "http.server.requests", dimensions: [("status-code", "200\n\"")]).increment(by: 1)
        let exposition = MetricsRegistry([metrics]).exposition()
        #expect(exposition.families.allSatisfy { $0.family.problem == nil })
        let parsed = try ParsedExposition(MetricsText.openMetrics.write(exposition))
        #expect(parsed.value("http_server_requests_total", ["status_code": "200\n\""]) == 4)
        #expect(parsed.value("http_duration_seconds_count") == 1)
        #expect(parsed.value("library_assay_devices") == 9.5, "a library cannot write the daemon's metrics")
        #expect(parsed.value("body_count", ["label_le": "x"]) == 1)
        #expect(parsed.value("assay_library_series_dropped_total") == 0)
    }

    @Test("Libraries get a bounded number of series, and what is not kept is counted")
    func libraryLimit() throws {
        let metrics = LibraryMetrics(limit: 4)
        for number in 0..<100 { metrics.makeCounter(label: "n", dimensions: [("number", "\(number)")]).increment(by: 1) }
        // The name is a counter's already.
        metrics.makeMeter(label: "n", dimensions: [("number", "1")]).set(1.0)
        metrics.makeCounter(label: "n", dimensions: [("other", "1")]).increment(by: 1)
        let parsed = try ParsedExposition(MetricsText.prometheus.write(MetricsRegistry([metrics]).exposition()))
        #expect(parsed.samples.filter { $0.name == "n_total" }.count == 4)
        #expect(parsed.value("assay_library_series_dropped_total") == 98)
    }
}
