import AssayCore

/// The server that the ledger was on last, as the ledger itself keeps it: a standby that was promoted has a higher timeline, and another
/// cluster another system identifier.
///
/// If commits were answered that no standby had confirmed, such a server may lack the last of them, also those of other daemons. What they spent
/// could be spent again. So the first daemon that finds itself on such a server removes the keys of challenges: those that were issued
/// before are void, and phones ask for another one.
struct ServerHistory {
    let database: Database

    private static let rows = "SELECT name, value FROM meta WHERE name IN ('system', 'timeline', 'unconfirmed', 'setbacks')"

    /// For the operator.
    static let setback = """
        another server took the database's place while no standby confirmed commits: the last verdicts before it may be lost, so challenges \
        that were issued before are void
        """

    /// Compares with the server of the connection inside the writer's transaction, and keeps what it is now. Returns how often keys were
    /// removed, this time included, and whether they were this time.
    func follow(_ server: ServerCheck) throws(PostgresError) -> (setbacks: Int64, isNew: Bool) {
        guard let identity = server.identity else { throw .damaged("the server was not asked what it is") }
        var kept = try read(Self.rows)
        let wanted = (system: identity.system, timeline: identity.timelineNumber, unconfirmed: server.hasStandby ? Int64(0) : 1)
        func isCurrent() -> Bool {
            kept["system"] == wanted.system && kept["timeline"] == wanted.timeline && kept["unconfirmed"] == wanted.unconfirmed
        }
        guard !isCurrent() else { return (kept["setbacks"] ?? 0, false) }
        // One daemon after the other, and what the first one did is seen by the next.
        kept = try read(Self.rows + " ORDER BY name FOR UPDATE")
        guard !isCurrent() else { return (kept["setbacks"] ?? 0, false) }
        let isOther = kept["system"] != wanted.system || kept["timeline"] ?? 0 < wanted.timeline
        let isSetback =
            isOther && kept["system"] != 0 && (kept["unconfirmed"] != 0 || kept["system"] != wanted.system)
        if isSetback {
            kept["setbacks", default: 0] += 1
            try forgetChallenges()
            try skipLostPublications()
        }
        for (name, value) in [
            ("system", wanted.system), ("timeline", wanted.timeline), ("unconfirmed", wanted.unconfirmed),
            ("setbacks", kept["setbacks"] ?? 0),
        ] {
            _ = try database.query("UPDATE meta SET value = $2 WHERE name = $1", .text(name), .int8(value))
        }
        return (kept["setbacks"] ?? 0, isSetback)
    }

    /// Notes whether a standby confirms commits, where that has changed since the connection was made.
    func note(hasStandby: Bool) throws(PostgresError) {
        _ = try database.query(
            "UPDATE meta SET value = $1 WHERE name = 'unconfirmed' AND value <> $1", .int8(hasStandby ? 0 : 1))
    }

    /// Follows a database that may have gone back, as `OpenedLedger.skipLostPublications` says.
    func skipLostPublications() throws(PostgresError) {
        try StatusTable(database: database).skipLostPlaces()
        try RevocationTable(database: database).passLists()
    }

    private func read(_ sql: String) throws(PostgresError) -> [String: Int64] {
        Dictionary(try database.query(sql).all { ($0.text(0), $0.int64(1)) }, uniquingKeysWith: { first, _ in first })
    }

    private func forgetChallenges() throws(PostgresError) {
        _ = try database.query("DELETE FROM secrets WHERE name = $1", .text(WrappedSecret.challengeKeys))
        let now = try database.query("SELECT \(WriterLease.now)").first { Timestamp(unixMilliseconds: $0.int64(0)) }
        if let now { try SpentTable(database: database).raiseHorizon(to: now) }
    }
}
