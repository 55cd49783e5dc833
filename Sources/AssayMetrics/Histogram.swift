import Synchronization

/// Counts values in buckets with fixed upper bounds. Recording takes no lock: two relaxed additions for each value, or for each run of
/// values in one bucket.
///
/// Values are integers of a small unit (nanoseconds, bytes, entries). The text formats show them times `scale`.
package final class Histogram: Sendable {
    /// The buckets as they were read. A value that is being recorded may be in the sum and in no bucket yet.
    package struct Snapshot: Sendable, Equatable {
        /// Upper bounds in the unit that is shown, ascending.
        package let bounds: [Double]
        /// The values in each bucket, not cumulated; the last one has no bound.
        package let counts: [UInt64]
        /// In the unit that is shown.
        package let sum: Double

        package init(bounds: [Double], counts: [UInt64], sum: Double) {
            (self.bounds, self.counts, self.sum) = (bounds, counts, sum)
        }

        package var count: UInt64 { counts.reduce(0, &+) }
    }

    private final class Cell: Sendable {
        let value = Atomic<UInt64>(0)
    }

    private let bounds: [UInt64]
    private let shownBounds: [Double]
    private let scale: Double
    private let cells: [Cell]
    private let sum = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - bounds: the greatest value of each bucket, ascending. One more bucket holds greater values.
    ///   - shown: the same bounds in the unit that is shown.
    ///   - scale: one unit of the recorded values, in the unit that is shown.
    package init(bounds: [UInt64], shown: [Double], scale: Double) {
        (self.bounds, shownBounds, self.scale) = (bounds, shown, scale)
        cells = (0...bounds.count).map { _ in Cell() }
    }

    /// Of durations that are recorded in nanoseconds and shown in seconds.
    package convenience init(seconds bounds: [Double]) {
        self.init(bounds: bounds.map { UInt64($0 * 1e9) }, shown: bounds, scale: 1e-9)
    }

    /// Of counts of things. `Double.init` alone would be the one of a bit pattern.
    package convenience init(counts bounds: [UInt64]) {
        self.init(bounds: bounds, shown: bounds.map { Double($0) }, scale: 1)
    }

    /// Records one value, as often as `times` says.
    package func record(_ value: UInt64, times: Int = 1) {
        cells[bucket(of: value)].value.wrappingAdd(UInt64(truncatingIfNeeded: times), ordering: .relaxed)
        sum.wrappingAdd(value &* UInt64(truncatingIfNeeded: times), ordering: .relaxed)
    }

    private func bucket(of value: UInt64) -> Int {
        // Few bounds: a search from below is faster than a binary one for the usual values.
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        return index
    }

    package var snapshot: Snapshot {
        Snapshot(
            bounds: shownBounds, counts: cells.map { $0.value.load(ordering: .relaxed) },
            sum: Double(sum.load(ordering: .relaxed)) * scale)
    }

    /// Gathers values on one thread, and adds runs of the same bucket with one addition.
    package struct Run: ~Copyable {
        private let histogram: Histogram
        private var bucket = 0
        private var times: UInt64 = 0
        private var sum: UInt64 = 0

        package init(_ histogram: Histogram) { self.histogram = histogram }

        package mutating func record(_ value: UInt64) {
            let next = histogram.bucket(of: value)
            if next != bucket { flush() }
            bucket = next
            times += 1
            sum &+= value
        }

        /// Adds what was gathered. Call it at the end.
        package mutating func flush() {
            guard times > 0 else { return }
            histogram.cells[bucket].value.wrappingAdd(times, ordering: .relaxed)
            histogram.sum.wrappingAdd(sum, ordering: .relaxed)
            (times, sum) = (0, 0)
        }
    }

    /// For work of microseconds to seconds.
    package static let workSeconds = [
        0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
        10,
    ]
    /// For what callers wait for.
    package static let callSeconds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
}
