import AssayLedger
package import AssayMetrics
import Synchronization

/// The writer, the cache of devices and the server, read when they are scraped.
extension PostgresLedger: MeasuredLedger {
    private static let standby = MetricFamily(
        "assay_ledger_standby", .gauge, "1 if a standby confirms each commit; 0 if a promotion can lose the last verdicts.")
    private static let listening = MetricFamily(
        "assay_ledger_listening", .gauge,
        "1 if changes of devices by other daemons are heard of at once; 0 if cached records are up to 30 s old.")
    private static let clock = MetricFamily(
        "assay_ledger_clock_lead_seconds", .gauge, unit: .seconds,
        "How far this machine's clock is ahead of the database server's; negative if it is behind.")
    private static let plainGroups = MetricFamily(
        "assay_ledger_plain_groups", .counter, labels: ["outcome"],
        "Transactions of verdicts that were committed without reading their rows once more (accepted), and those that were undone and decided by their rows, since one had changed (undone)."
    )

    /// Those that no other ledger has.
    package static let ownMetricFamilies = [standby, listening, clock, plainGroups]

    package var metricFamilies: [MetricFamily] { CommitTimes.metricFamilies + [.cacheLookUps] + Self.ownMetricFamilies }

    package func collect(into exposition: inout Exposition) {
        times.collect(waiting: waitingEntries, into: &exposition)
        let lookUps = cache.lookUps
        exposition.add(.cacheLookUps, ["device", "hit"], count: lookUps.hits)
        exposition.add(.cacheLookUps, ["device", "miss"], count: lookUps.misses)
        exposition.add(Self.standby, count: hasStandby ? 1 : 0)
        exposition.add(Self.listening, count: isListening ? 1 : 0)
        let plainGroups = plainGroups
        exposition.add(Self.plainGroups, ["accepted"], count: plainGroups.accepted)
        exposition.add(Self.plainGroups, ["undone"], count: plainGroups.undone)
        exposition.add(Self.clock, number: Double(clockDifference.load(ordering: .relaxed)) / 1000)
    }

    package var writerBusySeconds: Double { times.busySeconds }
}
