import AssayCore

/// A period of ten minutes: the challenges that expire in it are in one partition, which is dropped when it has passed.
struct SpentPeriod: Hashable, Comparable, Sendable {
    /// In milliseconds.
    static let length: Int64 = 600_000

    /// The number of the period, counted from 1970.
    let index: Int64

    init(index: Int64) { self.index = index }

    init(of expiry: Timestamp) {
        let quotient = expiry.unixMilliseconds / Self.length
        index = expiry.unixMilliseconds < quotient * Self.length ? quotient - 1 : quotient
    }

    /// The period of a partition's name; `nil` for names that `table` does not make.
    init?(table: String) {
        guard table.hasPrefix("spent_") else { return nil }
        let digits = table.dropFirst("spent_".count)
        guard let index = digits.hasPrefix("m") ? Int64("-" + digits.dropFirst()) : Int64(digits),
            index.magnitude <= UInt64(Int64.max / Self.length) + 1
        else { return nil }
        self.index = index
    }

    static func < (a: Self, b: Self) -> Bool { a.index < b.index }

    /// The name of the partition.
    var table: String { index < 0 ? "spent_m\(index.magnitude)" : "spent_\(index)" }

    /// The first expiry of the period; `nil` in the first period of all.
    private var first: Int64? {
        let (start, overflow) = index.multipliedReportingOverflow(by: Self.length)
        return overflow ? nil : start
    }

    /// The first expiry after the period; `nil` in the last period of all.
    private var end: Int64? {
        let (end, overflow) = (index + 1).multipliedReportingOverflow(by: Self.length)
        return overflow ? nil : end
    }

    /// The highest expiry of the period.
    var last: Timestamp { end.map { Timestamp(unixMilliseconds: $0 - 1) } ?? .distantFuture }

    /// Makes the partition and attaches it, with short locks. The check spares the server a scan.
    var creation: [String] {
        let bounds = [first.map { "expiry >= \($0)" }, end.map { "expiry < \($0)" }].compactMap(\.self)
        let check = (["expiry IS NOT NULL"] + bounds).joined(separator: " AND ")
        return [
            "CREATE TABLE \(table) (LIKE spent INCLUDING ALL, CHECK (\(check)))",
            "ALTER TABLE spent ATTACH PARTITION \(table) FOR VALUES FROM (\(first.map { "\($0)" } ?? "MINVALUE")) "
                + "TO (\(end.map { "\($0)" } ?? "MAXVALUE"))",
        ]
    }
}

/// The partitions of spent challenges, and the horizon.
struct SpentTable {
    let database: Database

    /// How long dropping or making a partition waits for a lock. Behind it, all commits wait.
    private static let lockTimeout = "100ms"

    /// The periods that have a partition.
    func periods() throws(PostgresError) -> Set<SpentPeriod> {
        guard database.connection.engine.hasPartitions else { return [] }
        let names = try database.query(
            """
            SELECT c.relname::text FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'spent'::regclass
            """
        ).all { $0.text(0) }
        return Set(names.compactMap(SpentPeriod.init(table:)))
    }

    func horizon() throws(PostgresError) -> Timestamp {
        let horizon = try database.query(Self.horizon).first { Timestamp(unixMilliseconds: $0.int64(0)) }
        guard let horizon else { throw .damaged("there is no spent horizon") }
        return horizon
    }

    static let horizon = "SELECT value FROM meta WHERE name = 'spent_horizon'"

    /// Makes the partition of a period unless it is there. In a transaction of its own. Where there are no partitions, all periods are there.
    func make(_ period: SpentPeriod) throws(PostgresError) {
        guard database.connection.engine.hasPartitions else { return }
        let begin = ["BEGIN", "SET LOCAL lock_timeout = '\(Self.lockTimeout)'"]
        do throws(PostgresError) {
            _ = try database.connection.commit(
                after: (begin + period.creation).map { SQLStatement.once($0) }, within: database.timeout)
        } catch {
            database.connection.rollBack(within: database.timeout)
            // duplicate_table, duplicate_object (its row type), invalid_object_definition (an overlap), unique_violation of the catalogue:
            // another daemon made it.
            guard ["42P07", "42710", "42P17", "23505"].contains(error.state) else { throw error }
        }
    }

    /// Drops a partition inside the transaction, and raises the horizon to the end of its period if it held tokens. Nothing happens, and
    /// false is returned, if commits do not let go of the partitions for a moment.
    func drop(_ period: SpentPeriod) throws(PostgresError) -> Bool {
        _ = try database.run([.once("SAVEPOINT dropping"), .once("SET LOCAL lock_timeout = '\(Self.lockTimeout)'")])
        do throws(PostgresError) {
            // Commits come through the parent: none is in the partition then, and those that wait find that it is gone.
            let found = try database.run([
                .once("LOCK TABLE ONLY spent IN ACCESS EXCLUSIVE MODE"), .once("SELECT 1 FROM \(period.table) LIMIT 1"),
                .once("DROP TABLE \(period.table)"),
            ])
            if found.count == 3, !found[1].isEmpty { try raiseHorizon(to: period.last) }
            return true
        } catch {
            // lock_not_available; undefined_table: another daemon dropped it.
            guard ["55P03", "42P01"].contains(error.state) else { throw error }
            _ = try database.run([.once("ROLLBACK TO dropping")])
            return false
        }
    }

    /// Raises the horizon. It never falls.
    func raiseHorizon(to expiry: Timestamp) throws(PostgresError) {
        _ = try database.query(
            "UPDATE meta SET value = greatest(value, $1) WHERE name = 'spent_horizon'", .int8(expiry.unixMilliseconds))
    }

    // MARK: Deleting

    /// The most rows of one deletion, so that commits run between deletions.
    static let deletionLimit: Int64 = 10_000

    /// Deletes challenges that have expired at `time`, where they lie in one table: a bounded number. Raises the horizon to the last expiry
    /// of theirs. True if there may be more.
    func deleteChallenges(expiredAt time: Timestamp) throws(PostgresError) -> Bool {
        try delete(from: "spent", by: "expiry, token", expiredAt: time)
    }

    /// Deletes other tokens that have expired at `time`, as ``deleteChallenges(expiredAt:)`` does with challenges.
    func deleteUsed(expiredAt time: Timestamp) throws(PostgresError) -> Bool {
        try delete(from: "used", by: "token", expiredAt: time)
    }

    /// - Parameter key: the columns of the primary key.
    private func delete(from table: String, by key: String, expiredAt time: Timestamp) throws(PostgresError) -> Bool {
        let expiries = try database.query(
            """
            DELETE FROM \(table) WHERE (\(key)) IN
                (SELECT \(key) FROM \(table) WHERE expiry <= $1 ORDER BY expiry LIMIT $2) RETURNING expiry
            """, .int8(time.unixMilliseconds), .int8(Self.deletionLimit)
        ).all { $0.int64(0) }
        if let last = expiries.max() { try raiseHorizon(to: Timestamp(unixMilliseconds: last)) }
        return expiries.count >= Self.deletionLimit
    }

    /// Drops up to `count` of the challenges that expire first, and all with the same expiry as the last of them. Raises the horizon to
    /// that expiry. Returns the number dropped; 0 if there are none.
    func forgetChallenges(atLeast count: Int64) throws(PostgresError) -> Int64 {
        let last = try database.query(
            "SELECT max(expiry) FROM (SELECT expiry FROM spent ORDER BY expiry LIMIT $1) AS first",
            .int8(max(1, min(count, Self.deletionLimit)))
        ).first { $0.isNull(0) ? nil : Timestamp(unixMilliseconds: $0.int64(0)) }
        guard let last = last ?? nil else { return 0 }
        try raiseHorizon(to: last)
        return Int64(try database.query("DELETE FROM spent WHERE expiry <= $1", .int8(last.unixMilliseconds)).affected)
    }

    /// The number of tokens that are kept, by scans of both tables.
    func counts() throws(PostgresError) -> (challenges: Int64, evidence: Int64) {
        try database.scan("SELECT (SELECT count(*) FROM spent), (SELECT count(*) FROM used)")
            .first { ($0.int64(0), $0.int64(1)) } ?? (0, 0)
    }

    static func areSpent(_ tokens: [[UInt8]]) -> Lookup<[Bool]> {
        let statement = SQLStatement("SELECT token FROM used WHERE token = ANY ($1::bytea[])", .bytesList(tokens))
        return Lookup(statement) { rows throws(PostgresError) in
            let spent = Set(try rows.all { $0.bytes(0) })
            return tokens.map { spent.contains($0) }
        }
    }
}
