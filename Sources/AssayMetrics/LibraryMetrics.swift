package import CoreMetrics
import Synchronization

/// The metrics that libraries record through swift-metrics, in a bounded number of series.
///
/// Libraries name their metrics and labels as they like, so a name is made one that Prometheus accepts, `assay_` is left to the daemon,
/// and what exceeds a limit is not kept but counted. Recorders and timers have fixed buckets.
package final class LibraryMetrics: Sendable {
    /// Series of all libraries together.
    package static let seriesLimit = 512
    static let labelLimit = 8
    static let nameLimit = 128
    static let valueLimit = 128

    static let dropped = MetricFamily(
        "assay_library_series_dropped", .counter,
        "Metrics of libraries that are not kept, since there are as many series as may be, or since the name has another type.")

    private struct Key: Hashable {
        let name: String
        let labels: [String]
    }

    private struct State {
        var families: [String: MetricFamily] = [:]
        var series: [Key: any LibrarySeries] = [:]
        var dropped: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    package init(limit: Int = LibraryMetrics.seriesLimit) { self.limit = limit }

    /// The series of a label and its dimensions; `nil` if it is not kept.
    private func series<Series: LibrarySeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricFamily.Kind, _ suffix: String = "",
        unit: MetricFamily.Unit? = nil, make: () -> Series
    ) -> Series? {
        var name = MetricName.sanitized(label, limit: Self.nameLimit)
        if name.hasPrefix("assay_") { name = "library_" + name }
        for end in ["_total", "_info"] where name.hasSuffix(end) { name = String(name.dropLast(end.count)) }
        if !name.hasSuffix(suffix) { name += suffix }
        let labels = dimensions.prefix(Self.labelLimit).map { dimension in
            var name = MetricName.sanitized(dimension.0, limit: Self.nameLimit)
            if name == "le" || name.hasPrefix("__") { name = "label_" + name }
            return (name: name, value: String(decoding: dimension.1.utf8.prefix(Self.valueLimit), as: UTF8.self))
        }
        let family = MetricFamily(name, kind, unit: unit, labels: labels.map(\.name), "Recorded by a library.")
        return state.withLock { state in
            let key = Key(name: name, labels: labels.map(\.value))
            if state.families[name, default: family] == family {
                if let known = state.series[key] as? Series { return known }
                if state.series.count < limit, family.problem == nil {
                    let new = make()
                    (state.families[name], state.series[key]) = (family, new)
                    return new
                }
            }
            state.dropped &+= 1
            return nil
        }
    }
}

extension LibraryMetrics: MetricsCollector {
    package var metricFamilies: [MetricFamily] { [Self.dropped] }

    package func collect(into exposition: inout Exposition) {
        let (families, series, dropped) = state.withLock { ($0.families, $0.series, $0.dropped) }
        exposition.add(Self.dropped, count: dropped)
        let ordered = series.sorted {
            $0.key.name == $1.key.name ? $0.key.labels.lexicographicallyPrecedes($1.key.labels) : $0.key.name < $1.key.name
        }
        for (key, series) in ordered {
            guard let family = families[key.name] else { continue }
            exposition.add(family, key.labels, value: series.value)
        }
    }
}

extension LibraryMetrics: MetricsFactory {
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter) { LibraryCounter() } ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge) { LibraryMeter() } ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return series(label, dimensions, .gauge) { LibraryMeter() } ?? NOOPMetricsHandler.instance }
        return series(label, dimensions, .histogram) { LibraryRecorder() } ?? NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram, "_seconds", unit: .seconds) { LibraryTimer() } ?? NOOPMetricsHandler.instance
    }

    // A series that a library gives back keeps its counts: Prometheus expects a counter to stay.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}

/// The state of one series.
private protocol LibrarySeries: Sendable {
    var value: Exposition.Value { get }
}

private final class LibraryCounter: CounterHandler, LibrarySeries {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
    var value: Exposition.Value { .integer(UInt64(clamping: count.load(ordering: .relaxed))) }
}

private final class LibraryMeter: MeterHandler, RecorderHandler, LibrarySeries {
    private let state = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0 = value } }
    func increment(by amount: Double) { state.withLock { $0 += amount } }
    func decrement(by amount: Double) { state.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
    var value: Exposition.Value { .number(state.withLock { $0 }) }
}

/// Numbers without a unit: powers of ten.
private final class LibraryRecorder: RecorderHandler, LibrarySeries {
    private let histogram = Histogram(counts: [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000])

    func record(_ value: Int64) { histogram.record(UInt64(clamping: value)) }
    func record(_ value: Double) { histogram.record(value > 0 ? UInt64(exactly: value.rounded()) ?? .max >> 1 : 0) }
    var value: Exposition.Value { .histogram(histogram.snapshot) }
}

private final class LibraryTimer: TimerHandler, LibrarySeries {
    private let histogram = Histogram(seconds: Histogram.callSeconds)

    func recordNanoseconds(_ duration: Int64) { histogram.record(UInt64(clamping: duration)) }
    var value: Exposition.Value { .histogram(histogram.snapshot) }
}
