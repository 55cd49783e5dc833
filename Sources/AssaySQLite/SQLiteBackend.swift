package import AssayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A ledger in a SQLite file, open or not.
package struct SQLiteBackend: LedgerBackend {
    /// The path of the file, as the configuration names it.
    package let path: String

    package init(path: String) { self.path = path }

    package var name: String { path }

    package var exists: Bool { access(path, F_OK) == 0 }

    package var exposure: LedgerExposure? {
        LedgerFile.wideFile(of: path).map { LedgerExposure(path: $0.path, mode: $0.mode) }
    }

    package func open(
        mayCreate: Bool, onFault: @escaping @Sendable (LedgerFault) -> Void
    ) async throws(LedgerError) -> any OpenedLedger {
        var options = LedgerOptions()
        options.mayCreate = mayCreate
        options.onFault = onFault
        return try SQLiteLedger.open(path: path, options: options)
    }

    /// One process at a time has the file open.
    package func migrate() async throws(LedgerError) -> LedgerMigration {
        let before: Int64
        do throws(SQLiteError) {
            before = exists ? try SQLiteConnection.looking(at: path).integer("PRAGMA user_version") : 0
        } catch {
            throw error.ledgerError
        }
        try SQLiteLedger.open(path: path).close()
        return LedgerMigration(before: before, after: Schema.newest)
    }

    /// Keeps the ledger from being opened until it is released; `nil` if a process has it open now.
    package func holdIfUnused() throws(LedgerError) -> HeldLedger? {
        guard !LedgerMark.isHeld(beside: path) else { return nil }
        return HeldLedger(lock: try LedgerLock(of: path, mayCreate: false))
    }

    /// A file has one daemon.
    package var auditWriter: AuditWriter { .only }

    package func auditEnds() throws(LedgerError) -> [AuditEnd] { [AuditEnd(.only)] }

    package func readAudit(of writer: AuditWriter, _ body: (AuditPage) -> Bool) throws(LedgerError) {
        guard writer == .only else { throw .unavailable("\(path) has no audit chain of the writer \"\(writer)\"") }
        try AuditFile.read(path, body)
    }

    package func space() -> DiskSpace? { DiskSpace(at: path) }
}

/// A ledger that no process can open.
package struct HeldLedger: Sendable {
    fileprivate let lock: LedgerLock
    package func release() { lock.release() }
}

/// Reads the audit log in a ledger's file, with or without a daemon that has it open.
package enum AuditFile {
    /// Gives `body` page after page, from the lowest number on, until it returns false or the log ends. Writes nothing and does not
    /// migrate the schema. A write-ahead log beside the file is read and stays.
    package static func read(_ path: String, _ body: (AuditPage) -> Bool) throws(LedgerError) {
        do throws(SQLiteError) {
            let connection = try SQLiteConnection.looking(at: path)
            try Schema.checkAudit(connection)
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
