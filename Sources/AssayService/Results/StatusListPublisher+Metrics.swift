import AssayCore
package import AssayMetrics

extension StatusListPublisher: MetricsCollector {
    private static let lists = MetricFamily(
        "assay_status_lists", .gauge, "Status lists that are published, those of each issuer.")
    private static let signed = MetricFamily(
        "assay_status_lists_signed", .counter, "Status lists that were signed, each in both forms.")
    private static let checked = MetricFamily(
        "assay_status_lists_checked_timestamp_seconds", .gauge, unit: .seconds,
        "When every status list was last as the ledger says, in seconds since 1970. Missing without an issuer of results, and before the first look."
    )
    private static let ends = MetricFamily(
        "assay_status_lists_end_timestamp_seconds", .gauge, unit: .seconds,
        "When the first of the published status lists ends, in seconds since 1970. Missing without lists.")
    private static let failing = MetricFamily(
        "assay_status_lists_failing", .gauge,
        "1 if the last look did not bring every status list to what the ledger says; the last lists are served until they end.")

    package nonisolated var metricFamilies: [MetricFamily] {
        [Self.lists, Self.signed, Self.checked, Self.ends, Self.failing]
    }

    package nonisolated func collect(into exposition: inout Exposition) {
        let report = report
        exposition.add(Self.lists, count: report.lists)
        exposition.add(Self.signed, count: report.signed)
        if let time = report.checkedAt { exposition.add(Self.checked, number: Double(time.unixMilliseconds) / 1000) }
        if let time = report.firstEnd { exposition.add(Self.ends, number: Double(time.unixMilliseconds) / 1000) }
        exposition.add(Self.failing, isTrue: report.problem != nil)
    }
}
