import Testing

@testable import AssayLoad

@Suite("Histogram of latencies")
struct LatencyHistogramTests {
    @Test("Percentiles are those of what was recorded, to three digits")
    func percentiles() {
        var histogram = LatencyHistogram()
        for microseconds in 1...100_000 { histogram.record(.microseconds(microseconds)) }
        #expect(histogram.count == 100_000 && histogram.max == .milliseconds(100))
        for (percentile, milliseconds) in [(50.0, 50.0), (90, 90), (99, 99), (99.9, 99.9), (100, 100)] {
            let value = histogram.value(at: percentile).milliseconds
            #expect((value / milliseconds - 1).magnitude < 0.002, "p\(percentile) is \(value)")
        }
        #expect((histogram.mean.milliseconds - 50).magnitude < 0.1)
    }

    @Test("An empty one has no latency, what is longer than an hour is an hour, and a negative one is none")
    func bounds() {
        var histogram = LatencyHistogram()
        #expect(histogram.isEmpty && histogram.value(at: 99) == .zero && histogram.max == .zero)
        histogram.record(.seconds(-1))
        #expect(histogram.count == 1 && histogram.max == .zero)
        histogram.record(.seconds(100_000))
        histogram.record(.seconds(Int64.max / 4))
        #expect(histogram.count == 3 && histogram.max == .seconds(3600))
        histogram.reset()
        #expect(histogram.isEmpty && histogram.max == .zero)
    }

    @Test(
        "Numbers have at most as many decimals as asked for, without zeros at the end",
        arguments: [
            (0.0, 2, "0"), (1, 2, "1"), (1.5, 2, "1.5"), (1.256, 2, "1.26"), (0.001, 3, "0.001"), (99.9, 6, "99.9"),
            (-0.25, 1, "-0.3"), (-0.001, 2, "0"), (1999.999, 2, "2000"), (10.05, 0, "10"),
        ])
    func decimals(_ value: Double, _ count: Int, _ text: String) { #expect(value.decimals(count) == text) }
}
