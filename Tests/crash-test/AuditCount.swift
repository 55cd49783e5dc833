import AssayAPI
import AssayClient
import AssayCore

/// Counts verdicts and certificates among the audit log's records, up to some number. Operators' other changes and loaded configurations
/// are not counted.
struct AuditCount: Sendable {
    /// The number of the next record to count, of each writer.
    private var next: [AuditWriter: Int64] = [:]
    private var verdicts: [AppID: Int64] = [:]
    /// SHA-256 of each issued certificate, by its serial number in hex.
    private(set) var issued: [String: [UInt8]] = [:]
    /// The serial numbers of revoked certificates, in hex.
    private(set) var revoked: Set<String> = []
    /// Serial numbers that two records issue, or two revoke.
    private(set) var repeated: Set<String> = []

    func verdicts(of apps: [AppID]) -> Int64 { apps.reduce(0) { $0 + verdicts[$1, default: 0] } }

    /// Counts the records of all writers that were there at the time of a status and were not counted before.
    mutating func count(all status: Assay_V1_StatusResponse, by client: AssayClient) async throws(AssayError) {
        for writer in status.store.writers {
            try await count(of: AuditWriter(field: writer.name) ?? .only, upTo: writer.count, by: client)
        }
    }

    private mutating func count(
        of writer: AuditWriter, upTo last: Int64, by client: AssayClient
    ) async throws(AssayError) {
        var number = next[writer, default: 1]
        while number <= last {
            let reading = try await client.audit(of: writer, from: number, timeout: LoadClient.patience)
            for row in reading.rows where row.number <= last { count(row.record) }
            number = min(max(number &+ 1, reading.next), last &+ 1)
        }
        next[writer] = number
    }

    private mutating func count(_ record: [UInt8]) {
        if let verdict = AuditRecord(decoding: record) {
            verdicts[verdict.app, default: 0] += 1
        } else if let change = AuditChange(decoding: record) {
            switch change.kind {
            case .issueCertificate:
                if issued.updateValue(change.digest, forKey: change.name) != nil { repeated.insert(change.name) }
            case .revokeCertificate:
                if !revoked.insert(change.name).inserted { repeated.insert(change.name) }
            default: break
            }
        }
    }
}
