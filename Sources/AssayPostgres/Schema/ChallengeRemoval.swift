import AssayCore

/// When the keys of challenges were last removed, in milliseconds of the server's clock, as the ledger keeps it. It only rises, so that a copy that was
/// made before the last removal is known by it, and a removal after the database went back too.
struct ChallengeRemoval {
    let database: Database

    /// 0: never, or by an earlier version.
    func last() throws(PostgresError) -> Int64 {
        try database.query("SELECT value FROM meta WHERE name = 'removal'").first { $0.int64(0) } ?? 0
    }

    /// Whether the ledger has no key of challenges.
    func areAllRemoved() throws(PostgresError) -> Bool {
        try database.query("SELECT 1 FROM secrets WHERE name = $1 LIMIT 1", .text(WrappedSecret.challengeKeys)).isEmpty
    }

    /// Notes a removal, later than `known` and than the last one.
    func note(after known: Int64) throws(PostgresError) -> Int64 {
        try database.query(
            """
            INSERT INTO meta VALUES ('removal', greatest(\(WriterLease.now), $1::bigint + 1))
            ON CONFLICT (name) DO UPDATE SET value = greatest(excluded.value, meta.value + 1) RETURNING value
            """, .int8(known)
        ).first { $0.int64(0) } ?? 0
    }
}

extension AcknowledgedCommits.Mark {
    /// Compares with the ledger inside the transaction that takes the writer's row. Returns when challenge keys were last removed.
    ///
    /// - Parameters:
    ///   - mark: what the daemon has kept; `nil`: nothing.
    ///   - setback: whether the keys were removed just now, because another server took the database's place.
    static func check(
        _ mark: Self?, commits: Int64, afterSetback setback: Bool, _ settings: PostgresSettings, _ database: Database
    ) throws(PostgresError) -> Int64 {
        let removal = ChallengeRemoval(database: database)
        // Without keys no challenge of before is good.
        let isRemoved = setback ? true : try removal.areAllRemoved()
        if isRemoved { return try removal.note(after: mark?.removal ?? 0) }
        try mark?.check(commits: commits, settings, database)
        return try removal.last()
    }

    /// Throws if the ledger has fewer commits of the writer than were acknowledged, and has keys of challenges that were not removed since.
    func check(commits: Int64, _ settings: PostgresSettings, _ database: Database) throws(PostgresError) {
        let removal = ChallengeRemoval(database: database)
        let last = try removal.last()
        // A copy may also have keys that were removed since.
        guard last < self.removal || (last == self.removal && commits < self.commits), try !removal.areAllRemoved() else {
            return
        }
        let found =
            last < self.removal
            ? "has keys of challenges that were removed since"
            : "has \(commits) commits of the writer \"\(settings.writer)\", and \(self.commits) were acknowledged"
        throw .replaced(
            "the database \(found): it went back to an earlier state, or is another copy. What was spent since could be spent again: if the database is "
                + "to be used as it is, run assayd forget-challenges once, and start again")
    }
}
