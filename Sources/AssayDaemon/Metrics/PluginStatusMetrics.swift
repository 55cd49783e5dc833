import AssayAPI
import AssayMetrics

/// The plugins of the catalog, by their ids. Their counts begin again when the entry is changed.
enum PluginStatusMetrics: StatusSubject {
    private static let state = MetricFamily(
        "assay_plugin_state", .gauge, labels: ["plugin", "state"], "1 for the state that the plugin has.")
    private static let required = MetricFamily(
        "assay_plugin_required", .gauge, labels: ["plugin"], "1 if the daemon does not start without the plugin.")
    private static let healthy = MetricFamily(
        "assay_plugin_healthy", .gauge, labels: ["plugin"], "0 if the plugin says that it cannot work.")
    private static let inFlight = MetricFamily(
        "assay_plugin_calls_in_flight", .gauge, labels: ["plugin"], "Calls that a process of the plugin works on.")
    private static let waiting = MetricFamily(
        "assay_plugin_calls_waiting", .gauge, labels: ["plugin"], "Calls that wait for a process of the plugin.")
    private static let calls = MetricFamily("assay_plugin_calls", .counter, labels: ["plugin"], "Calls to the plugin.")
    private static let rejections = MetricFamily(
        "assay_plugin_rejections", .counter, labels: ["plugin"], "Answers of the plugin that rejected.")
    private static let failures = MetricFamily(
        "assay_plugin_call_failures", .counter, labels: ["plugin", "kind"],
        "Calls without a good answer: unavailable (answered UNAVAILABLE), timeout, invalid (against the contract).")
    private static let starts = MetricFamily("assay_plugin_starts", .counter, labels: ["plugin"], "Processes started.")
    private static let deaths = MetricFamily(
        "assay_plugin_deaths", .counter, labels: ["plugin"], "Processes that ended by themselves.")
    private static let comparisons = MetricFamily(
        "assay_plugin_comparisons", .counter, labels: ["plugin", "result"],
        "Answers of a plugin that judges without deciding, compared with the verdict: agreement or difference.")
    private static let dropped = MetricFamily(
        "assay_plugin_verdicts_dropped", .counter, labels: ["plugin"], "Observed verdicts that were not handed over.")
    private static let quarantined = MetricFamily(
        "assay_plugin_quarantined_evidence", .gauge, labels: ["plugin"],
        "Pieces of evidence that ended a process of the plugin twice and are kept aside.")
    private static let own = MetricFamily(
        "assay_plugin_value", .gauge, labels: ["plugin", "name"],
        "What the plugin measures itself, by the name that it gives; at most 32 names, also over restarts of its processes.")

    static var families: [MetricFamily] {
        [
            state, required, healthy, inFlight, waiting, calls, rejections, failures, starts, deaths, comparisons, dropped,
            quarantined, own,
        ]
    }

    private static let states: [(String, Assay_V1_Plugin.State)] = [
        ("starting", .starting), ("ready", .ready), ("waiting", .waiting), ("broken", .broken), ("refused", .refused),
        ("disabled", .disabled), ("stopped", .stopped),
    ]

    static func collect(_ status: Assay_V1_StatusResponse, into exposition: inout Exposition) {
        for plugin in status.plugins {
            let (id, counts) = ([plugin.id], plugin.counts)
            exposition.add(state, plugin.id, states, now: plugin.state)
            exposition.add(required, id, isTrue: plugin.required)
            exposition.add(healthy, id, isTrue: plugin.health.isEmpty)
            exposition.add(inFlight, id, count: plugin.processes.reduce(0) { $0 + UInt64($1.inFlight) })
            exposition.add(waiting, id, count: UInt64(plugin.waitingCalls))
            exposition.add(calls, id, count: counts.calls)
            exposition.add(rejections, id, count: counts.rejections)
            exposition.add(failures, id + ["unavailable"], count: counts.unavailable)
            exposition.add(failures, id + ["timeout"], count: counts.timeouts)
            exposition.add(failures, id + ["invalid"], count: counts.invalid)
            exposition.add(starts, id, count: counts.starts)
            exposition.add(deaths, id, count: counts.deaths)
            exposition.add(comparisons, id + ["agreement"], count: counts.agreements)
            exposition.add(comparisons, id + ["difference"], count: counts.differences)
            exposition.add(dropped, id, count: counts.dropped)
            exposition.add(quarantined, id, count: counts.quarantined)
            for (name, value) in plugin.metrics.sorted(by: { $0.key < $1.key }) {
                exposition.add(own, id + [name], number: value)
            }
        }
    }
}
