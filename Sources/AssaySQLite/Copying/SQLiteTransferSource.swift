package import AssayCore
package import AssayLedger

/// A copy of a ledger's file at one instant, in a file that nothing else uses, whose rows are to be copied on.
package final class SQLiteTransferSource: TransferSource {
    private let connection: SQLiteConnection

    /// Copies the ledger into an empty file, verifies it, and brings the copy to the newest schema. A daemon may run on the ledger.
    ///
    /// - Parameter progress: called with the pages copied and the pages in all.
    package init(
        copying ledger: String, into draft: String, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(LedgerError) {
        try LedgerCopy.make(of: ledger, .ledger, into: draft, progress: progress)
        content = try LedgerCopy.inspect(draft)
        do throws(SQLiteError) {
            connection = try SQLiteConnection(path: draft, busyTimeout: 0)
            try Schema.migrate(connection)
            var highest: [String: Int64] = [:]
            for table in CopiedTable.all {
                guard let number = table.numbered else { continue }
                highest[table.name] = try connection.integer("SELECT coalesce(max(\(number)), 0) FROM \(table.name)")
            }
            // What SQLite has given already, also to rows that are gone.
            try SQLiteStatement(connection, "SELECT name, seq FROM sqlite_sequence").forEach { (row) throws(SQLiteError) in
                if let found = highest[row.text(0)] { highest[row.text(0)] = max(found, row.int64(1)) }
                return true
            }
            highestNumbers = highest
        } catch {
            throw error.ledgerError
        }
    }

    /// What the copy contains.
    package let content: LedgerContentSummary
    /// The highest numbers that were given, by table.
    package let highestNumbers: [String: Int64]

    package func forEach(in table: CopiedTable, _ body: (CopiedRow) throws(LedgerError) -> Void) throws(LedgerError) {
        var failure: LedgerError?
        do throws(SQLiteError) {
            for part in try parts(of: table) {
                let columns = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
                let order = table.key.map { "\"\($0.name)\"" }.joined(separator: ", ")
                try SQLiteStatement(connection, "SELECT \(columns) FROM (\(part)) ORDER BY \(order)").forEach { row in
                    do throws(LedgerError) {
                        try body(Self.values(of: row, table))
                        return true
                    } catch {
                        failure = error
                        return false
                    }
                }
                if failure != nil { break }
            }
        } catch {
            throw error.ledgerError
        }
        if let failure { throw failure }
    }

    private static func values(of row: SQLiteStatement, _ table: CopiedTable) -> CopiedRow {
        table.columns.enumerated().map { index, column in
            let index = Int32(index)
            guard !row.isNull(index) else { return .null }
            return switch column.kind {
            case .integer: .integer(row.int64(index))
            case .flag: .flag(row.int64(index) != 0)
            case .bytes: .bytes(row.bytes(index))
            case .text: .text(row.text(index))
            }
        }
    }

    /// What the rows of a table are selected from: one query after the other, in the order of the key.
    private func parts(of table: CopiedTable) throws(SQLiteError) -> [String] {
        switch table.name {
        case "meta": ["SELECT name, value FROM meta WHERE name IN ('spent_horizon', 'declared_new')"]
        // A key that is registered or blocked has one row.
        case "device_keys":
            [
                """
                SELECT key_id, app, id AS device,
                    EXISTS (SELECT 1 FROM blocks b WHERE b.app = d.app AND b.kind = \(BlockKind.key.rawValue) AND b.target = d.key_id)
                    AS blocked
                FROM devices d
                UNION ALL SELECT target, app, NULL, 1 FROM blocks b WHERE kind = \(BlockKind.key.rawValue)
                    AND NOT EXISTS (SELECT 1 FROM devices d WHERE d.key_id = b.target AND d.app = b.app)
                """
            ]
        // So has a subject with devices or a block.
        case "subjects":
            [
                """
                SELECT subject, app, sum(devices) AS devices, max(blocked) AS blocked FROM (
                    SELECT subject, app, 1 AS devices, 0 AS blocked FROM devices WHERE subject IS NOT NULL
                    UNION ALL SELECT target, app, 0, 1 FROM blocks WHERE kind = \(BlockKind.subject.rawValue)
                ) GROUP BY subject, app
                """
            ]
        // The periods of SQLite's tables do not overlap, so their order is that of the expiries.
        case "spent":
            try SpentBucket.all(connection).filter { $0.order == .expiry }.sorted { $0.last < $1.last }
                .map { "SELECT expiry, token FROM \"\($0.table)\"" }
        case "used": [try used()]
        default: ["SELECT * FROM \(table.name)"]
        }
    }

    private func used() throws(SQLiteError) -> String {
        let tables = try SpentBucket.all(connection).filter { $0.order == .token }.map {
            "SELECT token, expiry FROM \"\($0.table)\""
        }
        let all = tables.isEmpty ? "SELECT x'' AS token, 0 AS expiry WHERE false" : tables.joined(separator: " UNION ALL ")
        return "SELECT token, max(expiry) AS expiry FROM (\(all)) GROUP BY token"
    }
}
