import AssayMetrics
import AssayPlugins

/// The processes of plugins that the daemon ended. The counts begin again when the entry is changed.
struct PluginKillMetrics: MetricsCollector {
    private static let kills = MetricFamily(
        "assay_plugin_kills", .counter, labels: ["plugin", "reason"],
        "Processes that the daemon ended: deadline, silence, connection, or answers_not_read.")

    let plugins: SupervisedPlugins

    var metricFamilies: [MetricFamily] { [Self.kills] }

    func collect(into exposition: inout Exposition) {
        for plugin in plugins.all {
            for (reason, count) in plugin.kills { exposition.add(Self.kills, [plugin.entry.id, reason], count: count) }
        }
    }
}
