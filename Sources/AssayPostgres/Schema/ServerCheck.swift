import AssayCore
import Synchronization

/// What the ledger needs of a server, asked at each connect, and what it remembers of the server between connections.
final class ServerCheck: Sendable {
    struct Identity {
        var system: Int64
        /// Eight hexadecimal digits.
        var timeline: String
        var timelineNumber: Int64 { Int64(timeline, radix: 16) ?? 0 }
        /// Whether an earlier process of the daemon knew it. Another server may have taken its place, which ``ServerHistory`` judges.
        var isOfMark = false

        init(system: Int64, timeline: String) { (self.system, self.timeline) = (system, timeline) }

        fileprivate init?(_ mark: AcknowledgedCommits.Mark) {
            guard mark.system != 0 else { return nil }
            let digits = String(mark.timeline, radix: 16, uppercase: true)
            (system, timeline) = (mark.system, String(repeating: "0", count: max(0, 8 - digits.count)) + digits)
            isOfMark = true
        }
    }

    private let settings: PostgresSettings
    private let known: Mutex<Identity?>
    private let standby = Mutex(false)

    /// - Parameter mark: what an earlier process of the daemon knew.
    init(_ settings: PostgresSettings, known mark: AcknowledgedCommits.Mark? = nil) {
        self.settings = settings
        known = Mutex(mark.flatMap(Identity.init))
    }

    /// Whether the server waits for a standby with each commit, when it was last asked.
    var hasStandby: Bool { standby.withLock { $0 } }

    /// What the server was at the last connect.
    var identity: Identity? { known.withLock { $0 } }

    /// Notes what the server said since.
    func note(hasStandby: Bool) { standby.withLock { $0 = hasStandby } }

    /// Connects, makes the session's settings, and asks the server what it is. The hosts are tried in their order, also where one accepts
    /// writes that is not the ledger's server any more.
    func connect() throws(PostgresError) -> PostgresConnection {
        do throws(PostgresError) {
            return try connect(settings)
        } catch {
            guard error.kind == .former, settings.hosts.count > 1 else { throw error }
            for host in settings.hosts {
                var one = settings
                one.hosts = [host]
                do throws(PostgresError) { return try connect(one) } catch {}
            }
            throw error
        }
    }

    /// Two connections, which are tried for what a ledger needs of a connection: that it stays with its server process.
    ///
    /// - Parameter mark: what an earlier process of the daemon knew. A former primary is accepted where the keys of challenges were removed since.
    func connectTwice(
        accepting mark: AcknowledgedCommits.Mark? = nil
    ) throws(PostgresError) -> (PostgresConnection, PostgresConnection) {
        let one: PostgresConnection
        do throws(PostgresError) { one = try connect() } catch {
            guard error.kind == .former, let mark, try isLaterRemoval(than: mark) else { throw error }
            known.withLock { $0 = nil }
            one = try connect()
        }
        let other = try connect()
        if one.engine.isOneServer { try PoolerCheck.run(one, other, within: settings.readTimeout) }
        return (one, other)
    }

    /// Whether the ledger of the server that answers had its challenge keys removed after a mark was kept.
    private func isLaterRemoval(than mark: AcknowledgedCommits.Mark) throws(PostgresError) -> Bool {
        let connection = try ServerCheck(settings).connect()
        guard try Schema.exists(connection, settings) else { return false }
        let removal = ChallengeRemoval(database: Database(connection: connection, timeout: settings.readTimeout))
        if try removal.areAllRemoved() { return true }
        return try removal.last() > mark.removal
    }

    private func connect(_ target: PostgresSettings) throws(PostgresError) -> PostgresConnection {
        let connection = try PostgresConnection(target)
        let version = try connection.query(.once("SELECT pg_catalog.version()"), within: settings.readTimeout).first {
            $0.text(0)
        }
        connection.engine = settings.engine ?? ServerEngine(version: version ?? "")
        guard connection.engine.isOneServer else { return try settle(connection) }
        guard connection.serverVersion >= 140_000 else {
            throw .unsuitable(
                "PostgreSQL \(connection.serverVersion / 10_000) is too old: the ledger needs version 14 or later")
        }
        let statements = sessionSettings(connection) + [.once(Self.durability), .once(Self.question)]
        let answers = try connection.run(statements, within: settings.readTimeout)
        try answers.last?.first { row throws(PostgresError) in try check(row) }
        return connection
    }

    private func sessionSettings(_ connection: PostgresConnection) -> [SQLStatement] {
        let all = [("search_path", "\"\(settings.schema)\"")] + connection.engine.sessionSettings(settings)
        return all.map { name, value in
            SQLStatement("SELECT pg_catalog.set_config($1, $2, false)", .text(name), .text(value))
        }
    }

    /// Makes the settings at a distributed database, which has no standby and no timeline: a commit is on a majority of its nodes.
    private func settle(_ connection: PostgresConnection) throws(PostgresError) -> PostgresConnection {
        _ = try connection.run(sessionSettings(connection), within: settings.readTimeout)
        note(hasStandby: true)
        try compare(Identity(system: 0, timeline: ""))
        return connection
    }

    /// A commit returns when its records are on the disk, and on that of the standby if there is one.
    private static let durability = """
        SELECT pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
            WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)
        """

    /// Whether a standby confirms commits: an expression of SQL.
    static func standbyQuestion(of engine: ServerEngine) -> String {
        engine.isOneServer ? "pg_catalog.current_setting('synchronous_standby_names') <> ''" : "true"
    }

    /// Throws if no standby confirms commits and the settings require one.
    func check(hasStandby: Bool) throws(PostgresError) {
        guard hasStandby || !settings.requiresStandby else {
            throw .unsuitable(
                "synchronous_standby_names is empty, so that a failover can lose acknowledged verdicts, and the configuration requires a standby"
            )
        }
    }

    // MARK: Reasons

    /// Why the writer's row cannot be locked: a transaction of an earlier connection has not ended.
    func hindrance(of connection: PostgresConnection, _ error: PostgresError) -> PostgresError {
        missingStandby(connection) ?? .unsuitable("an earlier transaction of this writer has not ended yet: \(error.message)")
    }

    /// The reason of a failure that its message does not tell: a commit that waits for a standby only takes too long.
    func reason(of error: PostgresError) -> PostgresError {
        guard error.kind == .deadline else { return error }
        do throws(PostgresError) { return missingStandby(try connect()) ?? error } catch { return error }
    }

    /// Tells that commits wait for a standby; `nil` if none does.
    private func missingStandby(_ connection: PostgresConnection) -> PostgresError? {
        guard connection.engine.isOneServer else { return nil }
        let question = """
            SELECT pg_catalog.current_setting('synchronous_standby_names') FROM pg_catalog.pg_stat_activity
            WHERE wait_event = 'SyncRep' AND datname = pg_catalog.current_database() LIMIT 1
            """
        do throws(PostgresError) {
            let names = try connection.query(.once(question), within: settings.readTimeout).first { $0.text(0) }
            return names.map { .unsuitable("no standby confirms commits: synchronous_standby_names is \"\($0)\"") }
        } catch {
            return nil
        }
    }

    private static let question = """
        SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('transaction_read_only'),
            pg_catalog.current_setting('server_encoding'), pg_catalog.current_setting('fsync'),
            pg_catalog.current_setting('full_page_writes'), pg_catalog.current_setting('synchronous_standby_names'),
            (SELECT system_identifier FROM pg_catalog.pg_control_system()),
            CASE WHEN pg_catalog.pg_is_in_recovery() THEN ''
                ELSE left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8) END
        """

    private func check(_ row: PostgresRow) throws(PostgresError) {
        guard !row.bool(0), row.text(1) == "off" else {
            throw PostgresError(.connection, "the server is a standby or read-only: the ledger needs the primary")
        }
        guard row.text(2) == "UTF8" else {
            throw .unsuitable("the database has the encoding \(row.text(2)): create it with ENCODING 'UTF8'")
        }
        guard row.text(3) == "on" else {
            throw .unsuitable("the server runs with fsync=off, with which it loses acknowledged verdicts: set it to on")
        }
        guard row.text(4) == "on" else {
            throw .unsuitable(
                "the server runs with full_page_writes=off, with which a crash can damage the ledger: set it to on")
        }
        let hasStandby = !row.text(5).isEmpty
        try check(hasStandby: hasStandby)
        standby.withLock { $0 = hasStandby }
        try compare(Identity(system: row.int64(6), timeline: row.text(7)))
    }

    /// A former primary that came back looks like a primary, with an older history.
    private func compare(_ found: Identity) throws(PostgresError) {
        let before = known.withLock { known in
            let before = known
            let isOther = before.map { $0.system != found.system } ?? true
            if isOther ? before?.isOfMark ?? true : (before?.timeline ?? "") <= found.timeline { known = found }
            return isOther && before?.isOfMark == true ? nil : before
        }
        guard let before else { return }
        guard before.system == found.system else {
            throw .replaced("the server is another one than before (its system identifier differs)")
        }
        guard before.timeline <= found.timeline else {
            throw PostgresError(
                .former,
                "the server is a former primary, or was set back: its timeline is \(found.timeline), that of the ledger \(before.timeline)"
                    + (before.isOfMark
                        ? "; if it is to be used as it is, run assayd forget-challenges once, and start again" : ""))
        }
    }
}
