import AssayMetrics

extension DaemonState {
    /// What measures itself, for a scrape.
    func collectors(_ libraries: LibraryMetrics?) -> [any MetricsCollector] {
        let own: [any MetricsCollector] = [
            counters, stages, measures, calls, TrafficMetrics(statistics: statistics), LinkCacheMetrics(links: links), client,
            inquiries, exporter, callerCalls,
            ClockStepMetrics(watch: clockWatch), VerdictRecordMetrics(recorder: recorder), ProcessMetrics(),
        ]
        return own + (libraries.map { [$0] } ?? [])
    }
}
