import AssayMetrics
import AssayService

/// The registered devices that are judged again after a change.
struct ReappraisalMetrics: MetricsCollector {
    private static let pending = MetricFamily(
        "assay_reappraisal_pending_apps", .gauge,
        "Apps whose registered devices are not all judged by the last policy and list.")
    private static let judged = MetricFamily(
        "assay_reappraised_devices", .counter, "Registered devices that were judged again.")
    private static let found = MetricFamily(
        "assay_devices_no_longer_good", .gauge,
        "Registered devices, not blocked, that were no longer good when they were judged last.")
    private static let placed = MetricFamily(
        "assay_reappraised_status_changes", .counter,
        "Devices of which the published status lists say something else since they were judged again.")

    let report: @Sendable () -> ReappraisalReport

    var metricFamilies: [MetricFamily] { [Self.pending, Self.judged, Self.found, Self.placed] }

    func collect(into exposition: inout Exposition) {
        let report = report()
        exposition.add(Self.pending, count: report.pendingApps)
        exposition.add(Self.judged, count: report.judged)
        exposition.add(Self.found, count: report.noLongerGood)
        exposition.add(Self.placed, count: report.placed)
    }
}
