import AssayCore

/// The hot row of each device: counter, window, blocks, time of the last accepted evidence.
final class CounterTable {
    struct Row {
        let state: CounterState
        let isBlocked: Bool
    }

    private let connection: SQLiteConnection
    private let select: SQLiteStatement
    private let update: SQLiteStatement
    private let touch: SQLiteStatement
    private let insert: SQLiteStatement
    private let delete: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        select = try SQLiteStatement(connection, "SELECT counter, window, blocked FROM counters WHERE device = ?1")
        // `CounterState.advanced` as one conditional statement: ?2 is the next counter, ?3 the rule, ?4 the time. In SQLite a shift by
        // 64 or more gives zero, and <<, & and | have one precedence. In SET and WHERE columns have their old values.
        update = try SQLiteStatement(
            connection,
            """
            UPDATE counters SET
                counter = max(counter, ?2),
                window = iif(?2 > counter, (window << (?2 - counter)) | 1, window | (1 << (counter - ?2))),
                last_accepted_at = max(last_accepted_at, ?4)
            WHERE device = ?1 AND NOT blocked AND (
                ?2 > counter
                OR (?3 = \(CounterRule.window64.rawValue) AND counter - ?2 < 64 AND (window & (1 << (counter - ?2))) = 0))
            """)
        touch = try SQLiteStatement(
            connection,
            "UPDATE counters SET last_accepted_at = max(last_accepted_at, ?2) WHERE device = ?1 AND NOT blocked")
        insert = try SQLiteStatement(connection, "INSERT INTO counters VALUES (?1, ?2, ?3, ?4, ?5)")
        delete = try SQLiteStatement(connection, "DELETE FROM counters WHERE device = ?1")
    }

    func row(_ device: DeviceID) throws(SQLiteError) -> Row? {
        select.bind(1, device.bytes)
        return try select.first { row throws(SQLiteError) in
            guard let counter = UInt32(exactly: row.int64(0)) else {
                throw .damaged("the counter of \(device) is no 32-bit number")
            }
            return Row(
                state: CounterState(counter: counter, window: UInt64(bitPattern: row.int64(1))), isBlocked: row.int64(2) != 0)
        }
    }

    /// Advances a counter. False, and no change, if the device is unknown or blocked or the rule refuses the value.
    func advance(_ advance: LedgerEntry.Advance, at time: Timestamp) throws(SQLiteError) -> Bool {
        update.bind(1, advance.device.bytes)
        update.bind(2, Int64(advance.counter))
        update.bind(3, Int64(advance.rule.rawValue))
        update.bind(4, time.unixMilliseconds)
        try update.run()
        return connection.changes == 1
    }

    /// Stores the time of accepted evidence without a counter. False, and no change, if the device is unknown or blocked.
    func touch(_ device: DeviceID, at time: Timestamp) throws(SQLiteError) -> Bool {
        touch.bind(1, device.bytes)
        touch.bind(2, time.unixMilliseconds)
        try touch.run()
        return connection.changes == 1
    }

    func add(_ device: Device) throws(SQLiteError) {
        insert.bind(1, device.id.bytes)
        insert.bind(2, Int64(device.counter))
        insert.bind(3, Int64(bitPattern: device.counterWindow))
        insert.bind(4, 0)
        insert.bind(5, device.lastAcceptedAt.unixMilliseconds)
        try insert.run()
    }

    func remove(_ device: DeviceID) throws(SQLiteError) {
        delete.bind(1, device.bytes)
        try delete.run()
    }
}
