package import AssayCore

/// The audit log of a ledger's file, read without a daemon, and beside one.
package enum AuditFile {
    /// Gives `body` page after page, from the lowest number that there is, until it returns false or the log ends.
    /// Nothing is written, and nothing is brought to a newer schema; a write-ahead log beside the file is read and stays.
    package static func read(_ path: String, _ body: (AuditPage) -> Bool) throws(LedgerError) {
        do throws(SQLiteFailure) {
            let connection = try SQLiteConnection.looking(at: path)
            try Schema.check(connection)
            let table = AuditTable(connection: connection)
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
