import AssayCore

/// The writer's connection, with the row of `writers` that it holds: the end of its audit chain, and the number of its commits.
///
/// The row is locked first in each transaction, and changed in each. Its `epoch` is drawn by the process that holds the name: another
/// process that takes it ends this one's commits, and a commit whose answer was lost is found in the row.
final class WriterSession {
    let database: Database
    let writer: Int64
    private let epoch: Int64
    /// The number of committed transactions of this writer.
    private(set) var commits: Int64
    /// The end of the audit chain.
    private(set) var chain: AuditChain
    /// The periods that had a partition when they were last looked at.
    var periods: Set<SpentPeriod> = []
    /// The spent horizon, or a lower value: it never falls.
    var horizon = Timestamp.distantPast

    private init(_ database: Database, writer: Int64, epoch: Int64, commits: Int64, chain: AuditChain) {
        (self.database, self.writer, self.epoch, self.commits, self.chain) = (database, writer, epoch, commits, chain)
    }

    /// Takes the writer's row, and makes it if there is none.
    ///
    /// The change of the row is committed before anything else is read: with a standby this proves that the standby has all that the
    /// connection sees. A transaction of an earlier connection holds the row until it ends.
    ///
    /// - Parameter epochs: those that this process has drawn and may hold the row with; `nil` when it opens the ledger, and takes the row
    ///   from any process.
    static func take(
        _ connection: PostgresConnection, _ settings: PostgresSettings, epoch: Int64, after epochs: [Int64]?
    ) throws(PostgresError) -> WriterSession {
        let database = Database(connection: connection, timeout: settings.commitTimeout)
        do throws(PostgresError) {
            var statements: [SQLStatement] = [.once("BEGIN ISOLATION LEVEL READ COMMITTED")]
            if epochs == nil {
                statements.append(
                    SQLStatement(
                        """
                        INSERT INTO writers (name, epoch, head, start_head) VALUES ($1, 0, $2, $2) ON CONFLICT (name) DO NOTHING
                        """, .text(settings.writer), .bytes(AuditChain().head)))
            }
            let known = epochs == nil ? "" : " AND epoch = ANY ($3::bigint[])"
            statements.append(
                SQLStatement(
                    "UPDATE writers SET epoch = $2 WHERE name = $1\(known) RETURNING writer, commits, number, head",
                    [.text(settings.writer), .int8(epoch)] + (epochs.map { [.int8s($0)] } ?? [])))
            let taken = try connection.commit(after: statements, within: settings.commitTimeout).last
            let session = try taken?.first { row in
                WriterSession(
                    database, writer: row.int64(0), epoch: epoch, commits: row.int64(1),
                    chain: AuditChain(number: row.int64(2), head: row.bytes(3)))
            }
            guard let session else { throw fenced(settings.writer) }
            let spent = SpentTable(database: database)
            (session.periods, session.horizon) = (try spent.periods(), try spent.horizon())
            return session
        } catch {
            connection.rollBack(within: settings.commitTimeout)
            throw error
        }
    }

    private static func fenced(_ name: String) -> PostgresError {
        .replaced(
            "another process has taken the writer \"\(name)\", or the database lost it: each daemon needs a name of its own")
    }

    // MARK: Transactions

    /// Begins a transaction and locks the writer's row.
    var beginning: [SQLStatement] {
        [
            .once("BEGIN ISOLATION LEVEL READ COMMITTED"),
            SQLStatement(
                "SELECT name, commits FROM writers WHERE writer = $1 AND epoch = $2 FOR NO KEY UPDATE", .int8(writer),
                .int8(epoch)),
        ]
    }

    /// Looks at the answer to the lock, the second of `beginning`.
    func check(_ answers: [PostgresRows]) throws(PostgresError) {
        guard answers.count > 1, let (name, commits) = try answers[1].first({ ($0.text(0), $0.int64(1)) }) else {
            throw .replaced("another process has taken this daemon's writer: each daemon needs a name of its own")
        }
        guard commits == self.commits else {
            throw .replaced(
                "the writer \"\(name)\" has \(commits) commits in place of \(self.commits): the database is another copy")
        }
    }

    /// Follows a transaction that was committed.
    func follow(_ transaction: WriterTransaction) {
        commits += 1
        chain = transaction.chain
    }

    func rollBack() { database.connection.rollBack(within: database.timeout) }

    /// Makes the partitions of periods that have none.
    func make(_ wanted: some Sequence<SpentPeriod>) throws(PostgresError) {
        let table = SpentTable(database: database)
        for period in wanted where !periods.contains(period) && period.last > horizon {
            try table.make(period)
            periods.insert(period)
        }
    }

    /// Reads periods and horizon again: another daemon dropped a period.
    func renewPeriods() throws(PostgresError) {
        let table = SpentTable(database: database)
        (periods, horizon) = (try table.periods(), try table.horizon())
    }
}
