package import AssayCore

/// Reads the audit log in a ledger's file, with or without a daemon that has it open.
package enum AuditFile {
    /// Gives `body` page after page, from the lowest number on, until it returns false or the log ends. Writes nothing and does not
    /// migrate the schema. A write-ahead log beside the file is read and stays.
    package static func read(_ path: String, _ body: (AuditPage) -> Bool) throws(LedgerError) {
        do throws(SQLiteFailure) {
            let connection = try SQLiteConnection.looking(at: path)
            try Schema.check(connection)
            let table = AuditScan(connection: connection)
            var next = Int64.min
            while true {
                let page = try table.page(from: next, limit: AuditPage.limit)
                guard body(page), let last = page.rows.last, last.number < .max else { return }
                next = last.number + 1
            }
        } catch {
            throw error.ledgerError
        }
    }
}
