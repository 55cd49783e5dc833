import AssayCore
import Testing

@testable import AssayStore

/// Walks the audit log in the file and computes every head anew.
enum AuditChain {
    static func isUnbroken(_ path: String) throws -> Bool {
        let connection = try SQLiteConnection(path: path, busyTimeout: 1000)
        let rows = try SQLiteStatement(connection, "SELECT * FROM audit ORDER BY number").all { row in
            (
                number: row.int64(0), time: Timestamp(unixMilliseconds: row.int64(1)), record: record(row),
                head: row.bytes(11)
            )
        }
        var head = AuditRecord.emptyHead
        for (index, row) in rows.enumerated() {
            guard row.number == Int64(index + 1), let record = row.record else { return false }
            head = record.head(after: head, number: row.number, time: row.time)
            guard head == row.head else { return false }
        }
        return true
    }

    private static func record(_ row: SQLiteStatement) -> AuditRecord? {
        guard let app = AppID(row.text(4)), let purpose = Purpose(rawValue: UInt8(row.int64(5))),
            let assurance = Assurance(rawValue: UInt8(row.int64(7)))
        else { return nil }
        return AuditRecord(
            requestID: row.bytes(2), caller: row.text(3), app: app, purpose: purpose,
            device: row.isNull(6) ? nil : DeviceID(bytes: row.bytes(6)), assurance: assurance, evidenceDigest: row.bytes(8),
            policyDigest: row.bytes(9), simulated: row.int64(10) != 0)
    }
}
