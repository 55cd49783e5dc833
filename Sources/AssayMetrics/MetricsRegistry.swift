import Synchronization

/// The collectors of a process that are always there. What is read for one scrape only is added by the caller of ``exposition()``.
package final class MetricsRegistry: Sendable {
    private let collectors: Mutex<[any MetricsCollector]>

    package init(_ collectors: [any MetricsCollector] = []) { self.collectors = Mutex(collectors) }

    package func add(_ collector: any MetricsCollector) { collectors.withLock { $0.append(collector) } }

    package var families: [MetricFamily] { collectors.withLock { $0 }.flatMap(\.metricFamilies) }

    /// Asks each collector, in the order in which they were added.
    package func exposition() -> Exposition {
        var exposition = Exposition()
        for collector in collectors.withLock({ $0 }) {
            exposition.declare(collector.metricFamilies)
            collector.collect(into: &exposition)
        }
        return exposition
    }
}
