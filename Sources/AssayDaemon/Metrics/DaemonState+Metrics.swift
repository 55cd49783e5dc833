import AssayMetrics
import AssayService

extension DaemonState {
    /// What measures itself, for a scrape.
    func collectors(_ libraries: LibraryMetrics?) -> [any MetricsCollector] {
        let own: [any MetricsCollector] =
            [
                counters, stages, measures, calls, TrafficMetrics(statistics: statistics), LinkCacheMetrics(links: links),
                client,
                inquiries, exporter, callerCalls, hub, webhooks,
                ReappraisalMetrics(report: { [reappraisal] in reappraisal.report }),
            ]
            + time.collectors
            + [VerdictRecordMetrics(recorder: recorder), RecordingMetrics(recorder: facts), shadow]
            + base.collectors + [PluginKillMetrics(plugins: plugins.supervised)]
        return own + (libraries.map { [$0] } ?? [])
    }
}
