package import AssayCore
import CSQLite

/// Copies of a ledger's file, for backups: made beside a running daemon, and verified by reading them.
package enum LedgerCopy {
    /// Pages of one step, 4 KiB each. Between steps the progress is told.
    private static let pagesPerStep: Int32 = 2048

    /// How the ledger that is copied is opened.
    package enum Source: Sendable {
        /// A ledger that a daemon may use, now or in the next moment. Its user must be able to write it, as SQLite's locks need that.
        case ledger
        /// A file that nothing changes, such as a backup: it may be on a disk that is read-only.
        case backup
    }

    /// Copies a ledger as it is at one instant into an existing, empty file. A daemon on the ledger goes on committing meanwhile, and
    /// its log grows by what it commits. The copy is complete in itself, without a log beside it. It is not synced.
    ///
    /// - Parameter progress: called after each step with the pages copied and the pages in all.
    package static func make(
        of ledger: String, _ kind: Source, into copy: String, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(LedgerError) {
        do throws(SQLiteError) {
            let source = try open(ledger, kind)
            try Schema.checkAudit(source)
            // An open transaction holds the instant: without it, each commit of the daemon would begin the copy from the start.
            try source.execute("BEGIN")
            defer { try? source.execute("ROLLBACK") }
            _ = try source.integer("SELECT count(*) FROM meta")
            let target = try SQLiteConnection(path: copy, busyTimeout: 0)
            // The file counts only when it is whole and synced.
            try target.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF")
            try copyPages(from: source, to: target, progress)
        } catch {
            throw error.ledgerError
        }
    }

    private static func open(_ path: String, _ kind: Source) throws(SQLiteError) -> SQLiteConnection {
        guard FileIdentity.look(at: path) != nil else { throw SQLiteError(SQLITE_CANTOPEN, "\(path): there is no such file") }
        let sides = [LedgerFile.Side.log, .index].map { $0.path(of: path) }
        switch kind {
        case .backup where sides.allSatisfy { FileIdentity.look(at: $0) == nil }: return try .frozen(at: path)
        case .ledger, .backup: return try .looking(at: path)
        }
    }

    private static func copyPages(
        from source: SQLiteConnection, to target: SQLiteConnection, _ progress: (Int, Int) -> Void
    ) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.failure(sqlite3_errcode(target.handle))
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, pagesPerStep)
            let (total, rest) = (sqlite3_backup_pagecount(backup), sqlite3_backup_remaining(backup))
            progress(Int(total - rest), Int(total))
        }
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else { throw target.failure(code == SQLITE_DONE ? end : code) }
    }

    /// Reads a copy completely and verifies it: SQLite's structure of pages and indexes, references between records, and the chain of the
    /// audit log. Throws `.corrupt` if it is damaged, `.unavailable` if it is not a ledger that this version can open. Changes nothing.
    package static func inspect(_ copy: String) throws(LedgerError) -> LedgerContentSummary {
        do throws(SQLiteError) {
            let connection = try SQLiteConnection.frozen(at: copy)
            try Schema.checkAudit(connection)
            let faults = try SQLiteStatement(connection, "PRAGMA integrity_check(5)").all { $0.text(0) }
            guard faults == ["ok"] else { throw .damaged(faults.joined(separator: "; ")) }
            let orphans = try connection.integer("SELECT count(*) FROM pragma_foreign_key_check")
            guard orphans == 0 else { throw .damaged("\(orphans) records name others that do not exist") }
            return try summary(connection, of: copy)
        } catch {
            throw error.ledgerError
        }
    }

    private static func summary(_ connection: SQLiteConnection, of copy: String) throws(SQLiteError) -> LedgerContentSummary {
        let scan = AuditScan(connection: connection)
        var page = try scan.page(from: .min, limit: AuditPage.limit)
        let start = page.start
        var (verifier, last) = (AuditVerifier(from: start), Timestamp?.none)
        while let row = page.rows.last {
            for row in page.rows { verifier.take(row) }
            last = row.time
            guard !verifier.isDecided, row.number < .max else { break }
            page = try scan.page(from: row.number + 1, limit: AuditPage.limit)
        }
        if let fault = verifier.finish() { throw .damaged("the audit log: \(fault)") }
        return LedgerContentSummary(
            schema: try connection.integer("PRAGMA user_version"), bytes: FileIdentity.look(at: copy)?.size ?? 0,
            devices: try connection.integer("SELECT value FROM meta WHERE name = 'devices'"), auditStart: start,
            auditEnd: verifier.chain, lastRecordAt: last, secrets: try SecretTable(connection).all())
    }
}

/// What a ledger's file contains, as it was verified.
package struct LedgerContentSummary: Sendable {
    /// The version of the schema. An earlier one than the program's is migrated when the ledger is opened.
    package let schema: Int64
    package let bytes: Int64
    package let devices: Int64
    /// The chain before the first record of the audit log.
    package let auditStart: AuditChain
    /// The chain after the last record.
    package let auditEnd: AuditChain
    /// The time of the last record of the audit log; `nil`: it has none.
    package let lastRecordAt: Timestamp?
    /// Which the key file opens.
    package let secrets: [WrappedSecret]
}
