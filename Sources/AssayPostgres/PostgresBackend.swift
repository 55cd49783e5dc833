package import AssayCore

/// A ledger in a PostgreSQL database, open or not.
package struct PostgresBackend: LedgerBackend {
    package let settings: PostgresSettings
    private let holder: LedgerHolder?
    private let acknowledged: String?

    /// - Parameters:
    ///   - holder: this process; `nil`: it is like no other.
    ///   - acknowledged: the file of what the daemon has acknowledged (``AcknowledgedCommits``); `nil`: it is not compared.
    package init(_ settings: PostgresSettings, holder: LedgerHolder? = nil, acknowledged: String? = nil) {
        (self.settings, self.holder, self.acknowledged) = (settings, holder, acknowledged)
    }

    package var name: String { settings.description }

    /// Asks the server. True if it does not answer: there may be a ledger.
    package var exists: Bool {
        do throws(PostgresError) {
            return try Schema.exists(try ServerCheck(settings).connect(), settings)
        } catch {
            return true
        }
    }

    /// Looks at the database as a daemon that starts. Blocks, and changes nothing in the ledger.
    package func inspect() -> DatabaseInspection { DatabaseInspection(settings, holder: holder, acknowledged: acknowledged) }

    /// The server keeps others from its files.
    package var exposure: LedgerExposure? { nil }

    package func open(
        mayCreate: Bool, onFault: @escaping @Sendable (LedgerFault) -> Void
    ) async throws(LedgerError) -> any OpenedLedger {
        var options = PostgresOptions()
        options.mayCreate = mayCreate
        if let holder { options.holder = holder }
        options.acknowledged = try acknowledged.map { path throws(LedgerError) in try AcknowledgedCommits(path: path) }
        options.onFault = onFault
        return try PostgresLedger.open(settings, options: options)
    }

    /// Daemons may have the ledger open: a step is one with which those of the version before go on, or it refuses them.
    package func migrate() async throws(LedgerError) -> LedgerMigration {
        do throws(PostgresError) {
            let connection = try ServerCheck(settings).connect()
            try RightsCheck.run(connection, settings)
            let before = try Schema.exists(connection, settings) ? Schema.version(connection) : 0
            try Schema.migrate(connection, settings, mayCreate: true)
            return LedgerMigration(before: before, after: try Schema.version(connection))
        } catch {
            throw error.ledgerError
        }
    }

    /// `.only` where the settings have no name of a writer. Then the ledger cannot be opened.
    package var auditWriter: AuditWriter { AuditWriter(named: settings.writer) ?? .only }

    package func auditEnds() throws(LedgerError) -> [AuditEnd] {
        do throws(PostgresError) {
            return try WriterTable(database: try database()).all(own: auditWriter).map { AuditEnd($0.writer, $0.end) }
        } catch {
            throw error.ledgerError
        }
    }

    package func readAudit(of writer: AuditWriter, _ body: (AuditPage) -> Bool) throws(LedgerError) {
        do throws(PostgresError) {
            let database = try database()
            guard let table = try AuditTable(of: writer, database) else {
                throw .unsuitable("the \(settings) has no audit log of the writer \"\(writer)\"")
            }
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

    /// A connection of its own, to a ledger of a known schema.
    private func database() throws(PostgresError) -> Database {
        let connection = try ServerCheck(settings).connect()
        try Schema.check(connection, within: settings.readTimeout)
        return Database(connection: connection, timeout: settings.readTimeout)
    }

    /// The disk is the server's.
    package func space() -> DiskSpace? { nil }
}
