import AssayClient
import AssayCore

/// Counts the verdicts among the audit log's records, up to some number. Operators' changes and loaded configurations have
/// records of their own.
struct VerdictCount: Sendable {
    /// The number of the next record to count.
    private(set) var next: Int64 = 1
    private(set) var verdicts: Int64 = 0

    /// Counts the records up to a number that were not counted before.
    mutating func count(upTo last: Int64, by client: AssayClient) async throws(AssayError) {
        while next <= last {
            let reading = try await client.audit(from: next, timeout: LoadClient.patience)
            verdicts += Int64(reading.rows.count { $0.number <= last && AuditRecord(decoding: $0.record) != nil })
            next = min(max(next &+ 1, reading.next), last &+ 1)
        }
    }
}
