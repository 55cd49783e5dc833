package import AssayCore

extension SQLiteLedger: AuditLog {
    package func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage {
        try await read { reader throws(SQLiteFailure) in try reader.audit(from: number, limit: limit) }
    }

    package func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims? {
        try await read { reader throws(SQLiteFailure) in try reader.auditClaims(of: number) }
    }

    package func record(_ change: AuditChange, at time: Timestamp) async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.audit.append(change, at: time) }
    }

    package func forgetAuditClaims(
        of device: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Int64 {
        var count: Int64 = 0
        while true {
            let some = try await write { session throws(SQLiteFailure) in
                try session.audit.forgetClaims(of: device, app, context)
            }
            count += some
            guard some >= AuditClaimsTable.forgetLimit else { return count }
        }
    }
}
