import Synchronization

/// Counters by the values of labels. The number of series is bounded: values beyond the limit are counted together, with `other` for
/// each label.
package final class LabelledCounters: Sendable {
    /// The value that stands for all values without a series of their own.
    package static let other = "other"

    private struct State {
        var counts: [[String]: UInt64] = [:]
        var others: UInt64 = 0
    }

    private let family: MetricFamily
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the most series, that of `other` not included.
    package init(_ family: MetricFamily, limit: Int) { (self.family, self.limit) = (family, limit) }

    package func count(_ labels: [String], by amount: UInt64 = 1) {
        state.withLock { state in
            if let index = state.counts.index(forKey: labels) {
                state.counts.values[index] &+= amount
            } else if state.counts.count < limit {
                state.counts[labels] = amount
            } else {
                state.others &+= amount
            }
        }
    }

    package var counts: [[String]: UInt64] {
        state.withLock { state in
            var counts = state.counts
            if state.others > 0 { counts[family.labels.map { _ in Self.other }, default: 0] += state.others }
            return counts
        }
    }
}

extension LabelledCounters: MetricsCollector {
    package var metricFamilies: [MetricFamily] { [family] }

    package func collect(into exposition: inout Exposition) {
        for (labels, count) in counts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            exposition.add(family, labels, count: count)
        }
    }
}
