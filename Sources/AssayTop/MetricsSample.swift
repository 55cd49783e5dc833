package import AssayAPI

/// The metrics of a daemon at one moment.
package struct MetricsSample: Sendable, Equatable {
    /// One series of a family.
    package struct Series: Sendable, Equatable {
        /// By the names of the labels.
        package let labels: [String: String]
        package let value: Value

        package init(labels: [String: String], value: Value) { (self.labels, self.value) = (labels, value) }
    }

    package enum Value: Sendable, Equatable {
        case number(Double)
        case histogram(Buckets)
    }

    /// A histogram's buckets: upper bounds, ascending, and one count more than there are bounds.
    package struct Buckets: Sendable, Equatable {
        package var bounds: [Double]
        package var counts: [UInt64]

        package init(bounds: [Double], counts: [UInt64]) { (self.bounds, self.counts) = (bounds, counts) }
    }

    /// Milliseconds since 1970.
    package let time: Int64
    /// When the process was started: counts of another process have nothing to do with these.
    package let startedAt: Int64
    package let version: String
    package let families: [String: [Series]]

    package init(time: Int64, startedAt: Int64, version: String = "", families: [String: [Series]]) {
        (self.time, self.startedAt, self.version, self.families) = (time, startedAt, version, families)
    }

    package func series(_ family: String) -> [Series] { families[family] ?? [] }

    /// The value of a family without labels; `nil` if it has none.
    package func value(_ family: String) -> Double? {
        guard case .number(let value)? = series(family).first?.value else { return nil }
        return value
    }
}

extension MetricsSample {
    package init(_ response: Assay_V1_MetricsResponse) {
        var families: [String: [Series]] = [:]
        for family in response.families {
            families[family.name] = family.series.map { series in
                let labels = Dictionary(zip(family.labels, series.labels), uniquingKeysWith: { first, _ in first })
                guard series.hasHistogram else { return Series(labels: labels, value: .number(series.value)) }
                return Series(
                    labels: labels,
                    value: .histogram(Buckets(bounds: series.histogram.bounds, counts: series.histogram.counts)))
            }
        }
        self.init(
            time: response.nowUnixMs, startedAt: response.startedAtUnixMs, version: response.version, families: families)
    }
}

extension MetricsSample.Buckets {
    package var count: UInt64 { counts.reduce(0, &+) }

    /// The value that so many of the recorded ones do not exceed, interpolated within its bucket; `nil` if none was recorded. Values beyond the
    /// last bound count as the last bound.
    ///
    /// - Parameter share: from 0 to 1, such as 0.99.
    package func quantile(_ share: Double) -> Double? {
        let total = count
        guard total > 0, counts.count == bounds.count + 1 else { return nil }
        let rank = min(max(share, 0), 1) * Double(total)
        var below = 0.0
        for (index, bound) in bounds.enumerated() {
            let here = Double(counts[index])
            if here > 0, below + here >= rank {
                let start = index == 0 ? 0 : bounds[index - 1]
                return start + (bound - start) * ((rank - below) / here)
            }
            below += here
        }
        return bounds.last
    }

    /// The sum; `nil` if the bounds differ.
    package func adding(_ other: Self) -> Self? {
        guard bounds == other.bounds, counts.count == other.counts.count else { return nil }
        return Self(bounds: bounds, counts: zip(counts, other.counts).map { $0 &+ $1 })
    }
}
