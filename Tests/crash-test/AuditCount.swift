import AssayClient
import AssayCore

/// Counts verdicts and certificates among the audit log's records, up to some number. Operators' other changes and loaded configurations
/// are not counted.
struct AuditCount: Sendable {
    /// The number of the next record to count.
    private(set) var next: Int64 = 1
    private var verdicts: [AppID: Int64] = [:]
    /// SHA-256 of each issued certificate, by its serial number in hex.
    private(set) var issued: [String: [UInt8]] = [:]
    /// The serial numbers of revoked certificates, in hex.
    private(set) var revoked: Set<String> = []
    /// Serial numbers that two records issue, or two revoke.
    private(set) var repeated: Set<String> = []

    func verdicts(of apps: [AppID]) -> Int64 { apps.reduce(0) { $0 + verdicts[$1, default: 0] } }

    /// Counts the records up to a number that were not counted before.
    mutating func count(upTo last: Int64, by client: AssayClient) async throws(AssayError) {
        while next <= last {
            let reading = try await client.audit(from: next, timeout: LoadClient.patience)
            for row in reading.rows where row.number <= last { count(row.record) }
            next = min(max(next &+ 1, reading.next), last &+ 1)
        }
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
