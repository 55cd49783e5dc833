import AssayLedger
package import AssayMetrics

/// The writer and the cache of devices, read when they are scraped.
extension PostgresLedger: MeasuredLedger {
    package var metricFamilies: [MetricFamily] { CommitTimes.metricFamilies + [.cacheLookUps] }

    package func collect(into exposition: inout Exposition) {
        times.collect(waiting: waitingEntries, into: &exposition)
        let lookUps = cache.lookUps
        exposition.add(.cacheLookUps, ["device", "hit"], count: lookUps.hits)
        exposition.add(.cacheLookUps, ["device", "miss"], count: lookUps.misses)
    }

    package var writerBusySeconds: Double { times.busySeconds }
}
