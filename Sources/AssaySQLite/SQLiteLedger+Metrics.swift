package import AssayMetrics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The writer, the cache of devices and the files, read when they are scraped.
extension SQLiteLedger: MeasuredLedger {
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
    private static let files = MetricFamily(
        "assay_ledger_file_bytes", .gauge, unit: .bytes, labels: ["file"],
        "The size of the ledger's file (main) and of its write-ahead log (wal).")

    package var metricFamilies: [MetricFamily] {
        [Self.sizes, Self.durations, Self.failures, Self.waiting, Self.busy, Self.files, .cacheLookUps]
    }

    package func collect(into exposition: inout Exposition) {
        exposition.add(Self.sizes, histogram: times.sizes.snapshot)
        exposition.add(Self.durations, histogram: times.durations.snapshot)
        exposition.add(Self.failures, count: times.failedCount)
        exposition.add(Self.waiting, count: waitingEntries)
        exposition.add(Self.busy, number: writerBusySeconds)
        for (name, suffix) in [("main", ""), ("wal", "-wal")] {
            var status = stat()
            guard stat(path + suffix, &status) == 0 else { continue }
            exposition.add(Self.files, [name], count: status.st_size)
        }
        let lookUps = cache.lookUps
        exposition.add(.cacheLookUps, ["device", "hit"], count: lookUps.hits)
        exposition.add(.cacheLookUps, ["device", "miss"], count: lookUps.misses)
    }

    package var writerBusySeconds: Double { times.busySeconds }
}
