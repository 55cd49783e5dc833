import AssayCore
package import AssayMetrics

extension ShadowJudge: MetricsCollector {
    private static let verdicts = MetricFamily(
        "assay_shadow_verdicts", .counter, labels: ["app", "change"],
        "Verdicts that the shadow policy of an app judged too, by what would change (same, newly_rejected, newly_accepted, "
            + "reason_changed, assurance_changed, not_judged).")
    private static let rejections = MetricFamily(
        "assay_shadow_rejections", .counter, labels: ["app", "reason"],
        "Accepted requests that the shadow policy of an app would reject, by its reason.")
    private static let dropped = MetricFamily(
        "assay_shadow_dropped", .counter, labels: ["app"],
        "Verdicts that the shadow policy of an app did not judge because too many waited.")

    package var metricFamilies: [MetricFamily] { [Self.verdicts, Self.rejections, Self.dropped] }

    /// Counts of rejections that are zero have no series, as for verdicts.
    package func collect(into exposition: inout Exposition) {
        for (app, totals) in totals {
            for change in VerdictChange.allCases {
                exposition.add(Self.verdicts, [app.text, change.rawValue], count: totals.changes[change] ?? 0)
            }
            for (reason, count) in totals.reasons.sorted(by: { $0.key < $1.key }) {
                exposition.add(Self.rejections, [app.text, reason], count: count)
            }
            exposition.add(Self.dropped, [app.text], count: totals.dropped)
        }
    }
}
