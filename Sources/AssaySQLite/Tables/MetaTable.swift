import AssayCore

/// Single numbers of the ledger, by name. `SpentTokens` and `DeviceTable` write the spent horizon and the count of devices.
struct MetaTable {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) { self.connection = connection }

    // MARK: The clock

    func clockMemory() throws(SQLiteError) -> ClockMemory? {
        guard let believed = try value("clock_believed"), let uptime = try value("clock_uptime") else { return nil }
        return ClockMemory(
            believed: Timestamp(unixMilliseconds: believed), uptime: uptime, aheadSince: try value("clock_ahead_since"))
    }

    func keep(_ memory: ClockMemory) throws(SQLiteError) {
        try set("clock_believed", to: memory.believed.unixMilliseconds)
        try set("clock_uptime", to: memory.uptime)
        try set("clock_ahead_since", to: memory.aheadSince)
    }

    // MARK: The declaration of a new ledger

    func isDeclaredNew() throws(SQLiteError) -> Bool { try value("declared_new") != nil }

    func declareNew() throws(SQLiteError) { try set("declared_new", to: 1) }

    // MARK: The probe

    /// Writes a value, to find out whether the disk can be written.
    func probe() throws(SQLiteError) { try set("probe", to: try value("probe") == 0 ? 1 : 0) }

    // MARK: Values. Rare, so the statements are not kept.

    private func value(_ name: String) throws(SQLiteError) -> Int64? {
        let select = try SQLiteStatement(connection, "SELECT value FROM meta WHERE name = ?1")
        select.bind(1, name)
        return try select.first { $0.int64(0) }
    }

    private func set(_ name: String, to value: Int64?) throws(SQLiteError) {
        let sql =
            value == nil
            ? "DELETE FROM meta WHERE name = ?1"
            : "INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        let statement = try SQLiteStatement(connection, sql)
        statement.bind(1, name)
        if let value { statement.bind(2, value) }
        try statement.run()
    }
}
