import Testing

@testable import AssayMetrics

@Suite("The text formats of metrics")
struct MetricsTextTests {
    private static let calls = MetricFamily("test_calls", .counter, labels: ["who", "what"], "Calls.")
    private static let size = MetricFamily("test_size_bytes", .gauge, unit: .bytes, "A size with \\ and \"quotes\".")
    private static let times = MetricFamily("test_time_seconds", .histogram, unit: .seconds, labels: ["who"], "Times.")
    private static let build = MetricFamily("test_build", .info, labels: ["version"], "The build.")

    private func exposition() -> Exposition {
        var exposition = Exposition()
        exposition.add(Self.calls, ["a", "b"], count: 7)
        exposition.add(Self.size, number: -1.5)
        let histogram = Histogram(seconds: [0.001, 0.5])
        histogram.record(1_000_000)
        histogram.record(2_000_000, times: 3)
        histogram.record(9_000_000_000)
        exposition.add(Self.times, ["x"], histogram: histogram.snapshot)
        exposition.add(Self.build, ["1.0"], count: 1)
        return exposition
    }

    @Test("Prometheus' text has the families with their types and the samples with their values")
    func prometheus() throws {
        let parsed = try ParsedExposition(MetricsText.prometheus.write(exposition()))
        #expect(
            parsed.types == [
                "test_calls_total": "counter", "test_size_bytes": "gauge", "test_time_seconds": "histogram",
                "test_build_info": "gauge",
            ])
        #expect(parsed.value("test_calls_total", ["who": "a", "what": "b"]) == 7)
        #expect(parsed.value("test_size_bytes") == -1.5 && parsed.value("test_build_info", ["version": "1.0"]) == 1)
        #expect(!parsed.hasEnd && parsed.units.isEmpty)
    }

    @Test("OpenMetrics names families without their suffix, gives units, and ends with EOF")
    func openMetrics() throws {
        let text = MetricsText.openMetrics.write(exposition())
        let parsed = try ParsedExposition(text)
        #expect(
            parsed.types == [
                "test_calls": "counter", "test_size_bytes": "gauge", "test_time_seconds": "histogram", "test_build": "info",
            ])
        #expect(parsed.units == ["test_size_bytes": "bytes", "test_time_seconds": "seconds"])
        #expect(parsed.value("test_calls_total", ["who": "a", "what": "b"]) == 7)
        #expect(parsed.hasEnd && String(decoding: text, as: UTF8.self).hasSuffix("\n# EOF\n"))
    }

    @Test("A histogram's buckets are cumulated, and the last one holds all values", arguments: MetricsText.allCases)
    func histogram(_ format: MetricsText) throws {
        let parsed = try ParsedExposition(format.write(exposition()))
        func bucket(_ le: String) -> Double? { parsed.value("test_time_seconds_bucket", ["who": "x", "le": le]) }
        #expect(bucket("0.001") == 1 && bucket("0.5") == 4 && bucket("+Inf") == 5)
        #expect(parsed.value("test_time_seconds_count", ["who": "x"]) == 5)
        let sum = try #require(parsed.value("test_time_seconds_sum", ["who": "x"]))
        #expect(abs(sum - 9.007) < 1e-9)
    }

    @Test("Label values of any content come back as they were", arguments: MetricsText.allCases)
    func hostileLabels(_ format: MetricsText) throws {
        let values = [
            "", "\"", "\\", "\n", "\r\n", "a\\nb", "} 1\nassay_devices 9", "\u{0}", "\u{FEFF}\u{301}", "# EOF",
            String(decoding: [0xFF, 0xC3, 0x28], as: UTF8.self), String(repeating: "\"\\\n", count: 1000),
        ]
        var exposition = Exposition()
        for (index, value) in values.enumerated() { exposition.add(Self.calls, [value, "\(index)"], count: UInt64(index)) }
        let parsed = try ParsedExposition(format.write(exposition))
        #expect(parsed.samples.count == values.count)
        for (index, value) in values.enumerated() {
            #expect(parsed.samples[index].labels["who"]?.utf8.elementsEqual(value.utf8) == true, "\(index)")
        }
    }

    @Test("Numbers that are none are written as the formats spell them")
    func oddNumbers() throws {
        var exposition = Exposition()
        let family = MetricFamily("test_odd", .gauge, labels: ["n"], "Odd.")
        for (name, value) in [("nan", Double.nan), ("inf", .infinity), ("minus", -.infinity), ("tiny", 5e-300)] {
            exposition.add(family, [name], number: value)
        }
        let parsed = try ParsedExposition(MetricsText.prometheus.write(exposition))
        #expect(parsed.value("test_odd", ["n": "nan"])?.isNaN == true)
        #expect(parsed.value("test_odd", ["n": "inf"]) == .infinity && parsed.value("test_odd", ["n": "minus"]) == -.infinity)
        #expect(parsed.value("test_odd", ["n": "tiny"]) == 5e-300)
    }

    @Test("A family without samples is written with its type and its sentence")
    func declared() throws {
        var exposition = Exposition()
        exposition.declare([Self.calls])
        let parsed = try ParsedExposition(MetricsText.openMetrics.write(exposition))
        #expect(parsed.types == ["test_calls": "counter"] && parsed.helps == ["test_calls": "Calls."] && parsed.samples.isEmpty)
    }
}

@Suite("Families of metrics")
struct MetricFamilyTests {
    @Test(
        "A declaration that breaks a convention has a problem",
        arguments: [
            MetricFamily("test calls", .counter, "A."), MetricFamily("9test", .counter, "A."),
            MetricFamily("test_total", .counter, "A."), MetricFamily("test_time", .gauge, unit: .seconds, "A."),
            MetricFamily("test", .gauge, labels: ["le"], "A."), MetricFamily("test", .gauge, labels: ["a", "a"], "A."),
            MetricFamily("test", .gauge, labels: ["a-b"], "A."), MetricFamily("test", .gauge, "no full stop"),
            MetricFamily("test", .gauge, "two\nlines."),
        ])
    func problems(_ family: MetricFamily) { #expect(family.problem != nil) }

    @Test("A declaration that follows them has none")
    func good() {
        #expect(MetricFamily("test_time_seconds", .histogram, unit: .seconds, labels: ["a"], "A sentence.").problem == nil)
    }
}
