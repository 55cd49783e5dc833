import AssayAPI
import AssayMetrics

/// The ledger, the clock and the disk.
enum StoreMetrics: StatusSubject {
    private static let writable = MetricFamily(
        "assay_ledger_writable", .gauge, "1 if the ledger takes entries now; otherwise nothing new is accepted.")
    private static let devices = MetricFamily("assay_devices", .gauge, "Registered devices.")
    private static let records = MetricFamily(
        "assay_audit_records", .counter, "Records ever appended to the audit log, those before the start included.")
    private static let dropped = MetricFamily(
        "assay_audit_records_dropped", .counter, "Records of the audit log that were dropped as too old or too many.")
    private static let horizon = MetricFamily(
        "assay_spent_horizon_age_seconds", .gauge, unit: .seconds,
        "How far the spent horizon is behind the clock; negative while no challenges are issued. Missing if nothing was spent.")
    private static let entry = MetricFamily(
        "assay_last_acceptance_timestamp_seconds", .gauge, unit: .seconds,
        "When the last accepted verdict was committed, in seconds since 1970.")
    private static let memory = MetricFamily(
        "assay_evidence_memory_full", .gauge, "1 if no more uses of evidence may be kept (store.max_spent_evidence).")
    private static let ahead = MetricFamily(
        "assay_clock_ahead_seconds", .gauge, unit: .seconds,
        "How far the clock is ahead of the time that is known to have passed; 0 while it is followed.")
    private static let free = MetricFamily(
        "assay_disk_free_bytes", .gauge, unit: .bytes, "Free space on the file system of the ledger.")
    private static let capacity = MetricFamily(
        "assay_disk_capacity_bytes", .gauge, unit: .bytes, "The size of the file system of the ledger.")

    static var families: [MetricFamily] {
        [writable, devices, records, dropped, horizon, entry, memory, ahead, free, capacity]
    }

    /// A ledger that does not answer has no counts, rather than zeros.
    static func collect(_ status: Assay_V1_StatusResponse, into exposition: inout Exposition) {
        exposition.add(writable, isTrue: status.store.available)
        if status.store.available {
            exposition.add(devices, count: status.store.devices)
            exposition.add(records, count: status.store.auditCount)
            exposition.add(dropped, count: status.audit.dropped)
            if status.store.spentHorizonUnixMs != 0 {
                exposition.add(horizon, number: Double(status.nowUnixMs - status.store.spentHorizonUnixMs) / 1000)
            }
            exposition.add(entry, unixMilliseconds: status.store.lastEntryAtUnixMs)
            exposition.add(memory, isTrue: status.store.evidenceMemoryFull)
        }
        exposition.add(ahead, number: Double(status.clock.aheadMs) / 1000)
        guard status.hasDisk else { return }
        exposition.add(free, count: status.disk.freeBytes)
        exposition.add(capacity, count: status.disk.capacityBytes)
    }
}
