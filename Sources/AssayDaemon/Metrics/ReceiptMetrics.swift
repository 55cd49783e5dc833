import AssayAPI
import AssayMetrics

/// The exchange of App Attest receipts, in all apps.
enum ReceiptMetrics: StatusSubject {
    private static let due = MetricFamily(
        "assay_receipts_due", .gauge, "Receipts that were due when they were last looked for.")
    private static let attempts = MetricFamily(
        "assay_receipt_exchanges", .counter, labels: ["outcome"],
        "Exchanges of receipts: exchanged, failed (made again), ended (not made again).")

    static var families: [MetricFamily] { [due, attempts] }

    static func collect(_ status: Assay_V1_StatusResponse, into exposition: inout Exposition) {
        exposition.add(due, count: status.receipts.due)
        exposition.add(attempts, ["exchanged"], count: status.receipts.exchanged)
        exposition.add(attempts, ["failed"], count: status.receipts.failed)
        exposition.add(attempts, ["ended"], count: status.receipts.ended)
    }
}
