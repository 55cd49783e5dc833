package import AssayCore

/// What is looked at before a ledger is used.
extension SQLiteLedger {
    /// Whether it was said of the ledger, since it was made, that it is a new one.
    package func isDeclaredNew() async throws(LedgerError) -> Bool {
        try await read { reader throws(SQLiteFailure) in try reader.isDeclaredNew() }
    }

    /// Says that the ledger is a new one: durable on return.
    package func declareNew() async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.marks.declareNew() }
    }

    /// Follows the chain of the last records of the audit log, at most `AuditPage.limit` of them. Throws `.corrupt` if one is not
    /// what was written.
    package func checkAuditEnd() async throws(LedgerError) {
        let last = try await audit(from: .max, limit: 0).last
        let page = try await audit(from: last &- Int64(AuditPage.limit) &+ 1, limit: AuditPage.limit)
        var rows = page.rows[...]
        var verifier = AuditVerifier(from: page.start)
        // The records before these are not looked at: the first one is where the chain is taken up.
        if let first = rows.first, first.number > page.start.number &+ 1 {
            verifier = AuditVerifier(from: AuditChain(number: first.number, head: first.head))
            rows = rows.dropFirst()
        }
        for row in rows { verifier.take(row) }
        guard let fault = verifier.finish() else { return }
        throw .corrupt("audit \(fault)")
    }

    /// One of the ledger's files that others than its owner may read or write, and its mode; `nil` if there is none.
    package static func wideFile(of path: String) -> (path: String, mode: UInt32)? { LedgerFile.wideFile(of: path) }
}
