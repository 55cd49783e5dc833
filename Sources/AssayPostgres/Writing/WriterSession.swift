import AssayCore
import AssayMetrics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The writer's connection, with the row of `writers` that it holds: the end of its audit chain, and the number of its commits.
///
/// The row is locked first in each transaction, and changed in each. Its `epoch` is drawn by the process that holds the name: another
/// process that takes it ends this one's commits, and a commit whose answer was lost is found in the row. The lease only keeps others
/// from taking the name of a running process; what fences a process is the epoch.
final class WriterSession {
    let database: Database
    let writer: Int64
    /// How long the name stays this process's after a commit.
    let lease: WriterLease
    private let epoch: Int64
    /// Begins a transaction and locks the writer's row.
    let beginning: [SQLStatement]
    private let server: ServerCheck
    /// The server's process that the connection was made with; 0 where that is not asked.
    private var process: Int64 = 0
    /// The number of committed transactions of this writer.
    private(set) var commits: Int64
    /// The end of the audit chain.
    private(set) var chain: AuditChain
    /// The periods that had a partition when they were last looked at.
    var periods: Set<SpentPeriod> = []
    /// The spent horizon, or a lower value: it never falls.
    var horizon = Timestamp.distantPast

    /// Whether a standby confirms commits, as the ledger keeps it.
    private var hasStandby = false

    /// How often challenge keys were removed because the ledger may have gone back.
    private(set) var setbacks: Int64 = 0
    /// Whether that was done when this session was made.
    private(set) var isSetback = false
    /// When the keys were last removed (``ChallengeRemoval``).
    private(set) var removal: Int64 = 0

    private init(
        _ database: Database, _ lease: WriterLease, _ server: ServerCheck, writer: Int64, epoch: Int64, commits: Int64,
        chain: AuditChain
    ) {
        (self.database, self.lease, self.server, self.writer) = (database, lease, server, writer)
        (self.epoch, self.commits, self.chain) = (epoch, commits, chain)
        let engine = database.connection.engine
        let question = ServerCheck.standbyQuestion(of: engine)
        let process = engine.isOneServer ? PoolerCheck.expression : "0::bigint"
        beginning = [
            .once("BEGIN ISOLATION LEVEL READ COMMITTED"),
            SQLStatement(
                "SELECT name, commits, \(question), \(process) FROM writers WHERE writer = $1 AND epoch = $2 FOR NO KEY UPDATE",
                .int8(writer), .int8(epoch)),
        ]
    }

    /// Opens the ledger for a process: takes the writer's row, and makes it if there is none. While another process holds the name, waits
    /// until its lease has ended; throws when that process renews it.
    static func open(
        _ connection: PostgresConnection, _ settings: PostgresSettings, _ lease: WriterLease, server: ServerCheck,
        epoch: Int64, after mark: AcknowledgedCommits.Mark? = nil, waiting: (String) -> Void
    ) throws(PostgresError) -> WriterSession {
        let database = Database(connection: connection, timeout: settings.commitTimeout)
        let end = MonotonicTime.nanoseconds() &+ UInt64(lease.length) &* 2_000_000
        var first: (name: String, until: Int64)?
        while true {
            let new = Self.insertion(settings.writer)
            if let session = try take(connection, settings, lease, server, epoch, [new], Self.isFree, mark) { return session }
            let found = try database.query(
                "SELECT held_by, held_until, greatest(0, held_until - \(WriterLease.now)) FROM writers WHERE name = $1",
                .text(settings.writer)
            ).first { (name: $0.text(0), until: $0.int64(1), rest: $0.int64(2)) }
            guard let found else { continue }
            let isRenewed = first.map { $0 != (found.name, found.until) } ?? false
            guard !isRenewed, MonotonicTime.nanoseconds() < end else {
                throw inUse(settings.writer, by: found.name)
            }
            if first == nil {
                first = (found.name, found.until)
                waiting(
                    "the writer \"\(settings.writer)\" is held by \(found.name); waiting at most \(found.rest / 1000 + 1) s for the end of its lease"
                )
            }
            usleep(UInt32(min(max(found.rest, 10), 250)) * 1000)
        }
    }

    static func inUse(_ writer: String, by holder: String) -> PostgresError {
        .unsuitable("the writer \"\(writer)\" is in use by \(holder): each daemon needs a name of its own")
    }

    /// Connects again: takes the row that this process holds.
    ///
    /// - Parameter epochs: those that this process has drawn and may hold the row with.
    static func resume(
        _ connection: PostgresConnection, _ settings: PostgresSettings, _ lease: WriterLease, server: ServerCheck,
        epoch: Int64, after epochs: [Int64]
    ) throws(PostgresError) -> WriterSession {
        let session = try take(connection, settings, lease, server, epoch, [], ("epoch = ANY ($6::bigint[])", [.int8s(epochs)]))
        guard let session else {
            throw .replaced(
                "another process has taken the writer \"\(settings.writer)\", or the database lost it: each daemon needs a name of its own"
            )
        }
        return session
    }

    private static func insertion(_ name: String) -> SQLStatement {
        SQLStatement(
            "INSERT INTO writers (name, epoch, head, start_head) VALUES ($1, 0, $2, $2) ON CONFLICT (name) DO NOTHING",
            .text(name), .bytes(AuditChain().head))
    }

    /// The condition of a row that a process may take when it opens the ledger.
    private static let isFree: (String, [SQLValue]) = ("held_until <= \(WriterLease.now) OR instance = $3", [])

    /// Takes the row under a condition; `nil` if it does not hold.
    ///
    /// The change of the row is committed before anything else is read: with a standby this proves that the standby has all that the
    /// connection sees. A transaction of an earlier connection holds the row until it ends.
    private static func take(
        _ connection: PostgresConnection, _ settings: PostgresSettings, _ lease: WriterLease, _ server: ServerCheck,
        _ epoch: Int64, _ statements: [SQLStatement], _ condition: (sql: String, values: [SQLValue]),
        _ mark: AcknowledgedCommits.Mark? = nil
    ) throws(PostgresError) -> WriterSession? {
        let database = Database(connection: connection, timeout: settings.commitTimeout)
        do throws(PostgresError) {
            let take = SQLStatement(
                """
                UPDATE writers SET epoch = $2, instance = $3, held_by = $4, held_until = \(WriterLease.now) + $5::bigint
                WHERE name = $1 AND (\(condition.sql)) RETURNING writer, commits, number, head
                """,
                [
                    .text(settings.writer), .int8(epoch), .text(lease.holder.instance), .text(lease.holder.name),
                    .int8(lease.length),
                ] + condition.values)
            let begin = SQLStatement.once("BEGIN ISOLATION LEVEL READ COMMITTED")
            let taken = try database.run([begin] + statements + [take]).last
            let session = try taken?.first { row in
                WriterSession(
                    database, lease, server, writer: row.int64(0), epoch: epoch, commits: row.int64(1),
                    chain: AuditChain(number: row.int64(2), head: row.bytes(3)))
            }
            guard let session else {
                connection.rollBack(within: settings.commitTimeout)
                return nil
            }
            (session.setbacks, session.isSetback) = try ServerHistory(database: database).follow(server)
            session.removal = try AcknowledgedCommits.Mark.check(
                mark, commits: session.commits, afterSetback: session.isSetback, settings, database)
            session.hasStandby = server.hasStandby
            _ = try connection.commit(within: settings.commitTimeout)
            if connection.engine.isOneServer {
                session.process = try PoolerCheck.process(of: connection, within: settings.commitTimeout) ?? 0
            }
            let spent = SpentTable(database: database)
            (session.periods, session.horizon) = (try spent.periods(), try spent.horizon())
            return session
        } catch {
            connection.rollBack(within: settings.commitTimeout)
            throw error.isConflict ? server.hindrance(of: connection, error) : error
        }
    }

    /// Gives the name back: another process may take it at once.
    func release() {
        rollBack()
        do throws(PostgresError) {
            _ = try database.query(
                "UPDATE writers SET held_until = 0 WHERE writer = $1 AND epoch = $2", .int8(writer), .int8(epoch))
        } catch {}  // The lease ends by itself.
    }

    // MARK: Transactions

    /// Looks at the answer to the lock, the second of `beginning`. Returns whether a standby confirms commits, if that has changed; the
    /// transaction keeps it.
    func check(_ answers: [PostgresRows]) throws(PostgresError) -> Bool? {
        guard answers.count > 1,
            let (name, commits, hasStandby, process) = try answers[1].first({
                ($0.text(0), $0.int64(1), $0.bool(2), $0.int64(3))
            })
        else {
            throw .replaced("another process has taken this daemon's writer: each daemon needs a name of its own")
        }
        // The settings of the session are another one's where a pooler exchanges the process.
        guard process == self.process else { throw PoolerCheck.found }
        guard commits == self.commits else {
            throw .replaced(
                "the writer \"\(name)\" has \(commits) commits in place of \(self.commits): the database is another copy")
        }
        try server.check(hasStandby: hasStandby)
        guard hasStandby != self.hasStandby else { return nil }
        try ServerHistory(database: database).note(hasStandby: hasStandby)
        return hasStandby
    }

    /// Follows a transaction that was committed.
    func follow(_ transaction: WriterTransaction) {
        commits += 1
        chain = transaction.chain
        if let changed = transaction.changedStandby {
            hasStandby = changed
            server.note(hasStandby: changed)
        }
    }

    /// The reason of a failure that comes of a pooler; `nil` for another one, and where the server is not asked any more.
    func poolerProblem(_ error: PostgresError) -> PostgresError? {
        if let refusal = PoolerCheck.refusal(error) { return refusal }
        // undefined_table: the settings of another session have another schema.
        guard error.state == "42P01" else { return nil }
        rollBack()
        do throws(PostgresError) {
            return try PoolerCheck.process(of: database.connection, within: database.timeout) == process
                ? nil : PoolerCheck.found
        } catch { return nil }
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
