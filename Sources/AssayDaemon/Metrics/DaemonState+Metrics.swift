import AssayMetrics
import AssayService

extension DaemonState {
    /// What measures itself, for a scrape.
    func collectors(_ libraries: LibraryMetrics?) -> [any MetricsCollector] {
        let own: [any MetricsCollector] = [
            counters, stages, measures, calls, TrafficMetrics(statistics: statistics), LinkCacheMetrics(links: links), client,
            inquiries, exporter, callerCalls, hub, webhooks,
            ReappraisalMetrics(report: { [reappraisal] in reappraisal.report }),
            ClockStepMetrics(watch: clockWatch), VerdictRecordMetrics(recorder: recorder),
            RecordingMetrics(recorder: facts), shadow, ProcessMetrics(), PluginKillMetrics(plugins: plugins.supervised),
        ]
        return own + (libraries.map { [$0] } ?? [])
    }
}
