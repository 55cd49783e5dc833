/// What happened between two samples.
///
/// A count that is lower than before was reset, and counts from zero; a series that was not there before counts from zero too. If the daemon
/// was started in between, all of its counts do, and the time is that since the start.
package struct SampleDifference: Sendable {
    /// Between the samples; never 0.
    package let seconds: Double
    private let earlier: MetricsSample?
    private let later: MetricsSample

    package init(from earlier: MetricsSample, to later: MetricsSample) {
        let isRestarted = earlier.startedAt != later.startedAt
        let begun = isRestarted ? max(earlier.time, later.startedAt) : earlier.time
        seconds = max(0.001, Double(later.time - begun) / 1000)
        (self.earlier, self.later) = (isRestarted ? nil : earlier, later)
    }

    /// How much each series of a counter rose a second.
    package func rates(_ family: String) -> [(labels: [String: String], rate: Double)] {
        later.series(family).compactMap { series in
            guard case .number(let now) = series.value else { return nil }
            var before = 0.0
            if case .number(let value)? = value(before: series, of: family), value <= now { before = value }
            return (series.labels, (now - before) / seconds)
        }
    }

    /// The sum of the rates, by the value of a label, of the series that are meant.
    package func rates(
        _ family: String, by label: String, where isMeant: ([String: String]) -> Bool = { _ in true }
    ) -> [String: Double] {
        rates(family).reduce(into: [:]) { sums, series in
            if isMeant(series.labels) { sums[series.labels[label] ?? "", default: 0] += series.rate }
        }
    }

    /// The sum of the rates of the series that are meant.
    package func rate(_ family: String, where isMeant: ([String: String]) -> Bool = { _ in true }) -> Double {
        rates(family).reduce(0) { isMeant($1.labels) ? $0 + $1.rate : $0 }
    }

    /// What was recorded in between in each series of a histogram, by the value of a label.
    package func histograms(_ family: String, by label: String) -> [String: MetricsSample.Buckets] {
        var found: [String: MetricsSample.Buckets] = [:]
        for series in later.series(family) {
            guard case .histogram(let now) = series.value else { continue }
            var new = now
            if case .histogram(let before)? = value(before: series, of: family), before.bounds == now.bounds,
                before.counts.count == now.counts.count, zip(before.counts, now.counts).allSatisfy({ $0 <= $1 })
            {
                new.counts = zip(now.counts, before.counts).map { $0 - $1 }
            }
            let key = series.labels[label] ?? ""
            found[key] = found[key].flatMap { $0.adding(new) } ?? new
        }
        return found
    }

    private func value(before series: MetricsSample.Series, of family: String) -> MetricsSample.Value? {
        earlier?.series(family).first { $0.labels == series.labels }?.value
    }
}
