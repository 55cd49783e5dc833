import AssayLedger
package import AssayMetrics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The writer, the caches and the files, read when they are scraped.
extension SQLiteLedger: MeasuredLedger {
    private static let files = MetricFamily(
        "assay_ledger_file_bytes", .gauge, unit: .bytes, labels: ["file"],
        "The size of the ledger's file (main) and of its write-ahead log (wal).")

    package var metricFamilies: [MetricFamily] {
        CommitTimes.metricFamilies + [Self.files, .cacheLookUps]
    }

    package func collect(into exposition: inout Exposition) {
        times.collect(waiting: waitingEntries, into: &exposition)
        for (name, suffix) in [("main", ""), ("wal", "-wal")] {
            var status = stat()
            guard stat(path + suffix, &status) == 0 else { continue }
            exposition.add(Self.files, [name], count: status.st_size)
        }
        for (name, lookUps) in [("device", caches.devices.lookUps), ("certificate", caches.certificates.lookUps)] {
            exposition.add(.cacheLookUps, [name, "hit"], count: lookUps.hits)
            exposition.add(.cacheLookUps, [name, "miss"], count: lookUps.misses)
        }
    }

    package var writerBusySeconds: Double { times.busySeconds }
}
