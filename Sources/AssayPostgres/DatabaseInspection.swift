package import AssayCore

/// What a daemon would find that starts with a ledger in a database. Nothing is changed in the ledger.
package struct DatabaseInspection: Sendable {
    /// Why the daemon would not start, or would accept nothing: a sentence; `nil` if nothing is in its way.
    package private(set) var obstacle: String?
    /// Of the ledger, none where there is no ledger; `nil` where they cannot be read.
    package private(set) var secrets: [WrappedSecret]?
    /// Whether an empty ledger is meant to be one.
    package private(set) var isDeclaredNew = false

    /// Connects two or three times. Blocks, up to some seconds where the database does not answer.
    ///
    /// - Parameters:
    ///   - holder: the process that would have the writer's name; `nil`: it is like no other.
    ///   - acknowledged: the file of what the daemon has acknowledged; `nil`: it is not compared.
    init(_ settings: PostgresSettings, holder: LedgerHolder?, acknowledged: String? = nil) {
        let mark = acknowledged.flatMap { AcknowledgedCommits.mark(of: settings, at: $0) }
        let server = ServerCheck(settings, known: mark)
        do throws(PostgresError) {
            let (connection, other) = try server.connectTwice(accepting: mark)
            try RightsCheck.run(connection, settings)
            let exists = try Schema.exists(connection, settings)
            if exists { try Schema.check(connection, within: settings.readTimeout) }
            let version = exists ? try Schema.version(connection) : 0
            if version > 0 {
                let database = Database(connection: connection, timeout: settings.readTimeout)
                secrets = try SecretTable(database: database).all()
                isDeclaredNew = try SecretTable(database: database).areDeclaredNew()
                try PostgresTransferTarget.check(connection, within: settings.readTimeout)
                try Self.check(mark, settings, database)
                if version >= Migration.version2.version { try Self.checkName(settings, holder, database) }
            } else {
                secrets = []
            }
            try Self.tryCommit(connection, other, server, settings)
        } catch {
            obstacle = "\(error.ledgerError)"
        }
    }

    /// Throws if another process has the writer's name.
    private static func checkName(
        _ settings: PostgresSettings, _ holder: LedgerHolder?, _ database: Database
    ) throws(PostgresError) {
        let other = try database.query(
            "SELECT held_by FROM writers WHERE name = $1 AND instance <> $2 AND held_until > \(WriterLease.now)",
            .text(settings.writer), .text(holder?.instance ?? "")
        ).first { $0.text(0) }
        if let other { throw WriterSession.inUse(settings.writer, by: other) }
    }

    /// Throws if the database went back.
    private static func check(
        _ mark: AcknowledgedCommits.Mark?, _ settings: PostgresSettings, _ database: Database
    ) throws(PostgresError) {
        guard let mark else { return }
        let commits = try database.query("SELECT commits FROM writers WHERE name = $1", .text(settings.writer)).first {
            $0.int64(0)
        }
        try mark.check(commits: commits ?? 0, settings, database)
    }

    /// Commits what a standby has to confirm, as a verdict is committed: a message in the server's log of changes, which nothing reads.
    private static func tryCommit(
        _ connection: PostgresConnection, _ other: PostgresConnection, _ server: ServerCheck, _ settings: PostgresSettings
    ) throws(PostgresError) {
        guard connection.engine.isOneServer, server.hasStandby else { return }
        var process: Int64?
        do throws(PostgresError) {
            let statements = [
                "BEGIN", "SELECT pg_catalog.pg_backend_pid()::bigint",
                "SELECT pg_catalog.pg_logical_emit_message(true, 'assay', ''::text)",
            ]
            let answers = try connection.run(statements.map { .once($0) }, within: settings.readTimeout)
            process = try answers[1].first { $0.int64(0) }
            _ = try connection.commit(within: settings.commitTimeout)
        } catch {
            connection.rollBack(within: settings.commitTimeout)
            // Where the role may not write messages, this is not tried.
            guard error.state != "42501" else { return }
            let reason = server.reason(of: error)
            if error.kind == .deadline, let process {
                // Or the server's process waits on, and keeps one of the connections.
                _ = try other.query(.once("SELECT pg_catalog.pg_cancel_backend(\(process))"), within: settings.readTimeout)
            }
            throw reason
        }
    }
}
