package import AssayMetrics

/// The metrics of a ledger's writer, whatever its store is.
extension CommitTimes {
    private static let sizes = MetricFamily(
        "assay_ledger_commit_entries", .histogram, "Entries that share one transaction of the ledger.")
    private static let durations = MetricFamily(
        "assay_ledger_commit_duration_seconds", .histogram, unit: .seconds,
        "The time of a transaction of the ledger, its sync included.")
    private static let failures = MetricFamily(
        "assay_ledger_commit_failures", .counter, "Transactions of the ledger that failed and were rolled back.")
    private static let waiting = MetricFamily(
        "assay_ledger_queue_entries", .gauge, "Entries that wait for the next transaction of the ledger.")
    private static let busy = MetricFamily(
        "assay_ledger_writer_busy_seconds", .gauge, unit: .seconds,
        "How long the ledger's writer has been at its present transaction; 0 while it waits for work.")

    package static let metricFamilies = [sizes, durations, failures, waiting, busy]

    /// - Parameter entries: those that wait.
    package func collect(waiting entries: Int, into exposition: inout Exposition) {
        exposition.add(Self.sizes, histogram: sizes.snapshot)
        exposition.add(Self.durations, histogram: durations.snapshot)
        exposition.add(Self.failures, count: failedCount)
        exposition.add(Self.waiting, count: entries)
        exposition.add(Self.busy, number: busySeconds)
    }
}
