import AssayMetrics
import AssayService

extension DaemonState {
    /// What measures itself, for a scrape.
    func collectors(_ libraries: LibraryMetrics?) -> [any MetricsCollector] {
        let own: [any MetricsCollector] =
            [counters, stages, measures, calls, TrafficMetrics(statistics: statistics)]
            + vendors.collectors + traces.collectors + callers.collectors + watching.collectors + time.collectors
            + records.collectors + base.collectors + [PluginKillMetrics(plugins: plugins.supervised)]
        return own + (libraries.map { [$0] } ?? [])
    }
}
