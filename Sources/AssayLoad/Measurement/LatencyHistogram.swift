import Histogram

/// Latencies, of which any percentile can be asked: an HdrHistogram of microseconds with three significant digits, up to an hour.
///
/// It corrects nothing afterwards: what is recorded counts from the intended time of a call already.
package struct LatencyHistogram: Sendable {
    /// In microseconds.
    private static let longest: UInt64 = 3_600_000_000

    private var values = Histogram<UInt64>(highestTrackableValue: Self.longest, numberOfSignificantValueDigits: .three)

    package init() {}

    /// Longer ones than an hour count as an hour, and negative ones as none.
    package mutating func record(_ latency: Duration) {
        values.record(min(latency.wholeMicroseconds, Self.longest))
    }

    package mutating func reset() { values.reset() }

    package var count: UInt64 { values.totalCount }
    package var isEmpty: Bool { count == 0 }
    package var max: Duration { .microseconds(Int64(clamping: values.maxRecorded)) }
    package var mean: Duration { .microseconds(values.mean) }

    /// The latency that the share of all does not exceed; 0 if none was recorded.
    ///
    /// - Parameter percentile: from 0 to 100.
    package func value(at percentile: Double) -> Duration {
        isEmpty ? .zero : .microseconds(Int64(clamping: values.valueAtPercentile(percentile)))
    }
}

extension Duration {
    /// Rounded down; 0 for a negative one, and the largest number beyond a thousand years.
    fileprivate var wholeMicroseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 32_000_000_000 else { return .max }
        return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
    }

    /// With decimals.
    package var milliseconds: Double { self / .milliseconds(1) }
    package var seconds: Double { self / .seconds(1) }
}
