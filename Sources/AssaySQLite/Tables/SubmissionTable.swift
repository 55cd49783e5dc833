import AssayCore

/// Counts the submissions of devices by the hour.
final class SubmissionTable {
    /// The most rows of one purge, so that commits run between purges.
    static let purgeLimit = 1000

    private let connection: SQLiteConnection
    private let count: SQLiteStatement
    private let increment: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        count = try SQLiteStatement(connection, Self.counting)
        increment = try SQLiteStatement(connection, Self.incrementing)
    }

    /// ?1 is the device, ?2 the first hour and ?3 the last.
    static let counting = "SELECT coalesce(sum(count), 0) FROM submissions WHERE device = ?1 AND hour BETWEEN ?2 AND ?3"
    static let incrementing = "INSERT INTO submissions VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE SET count = count + 1"
    static let purging = """
        DELETE FROM submissions WHERE (device, hour) IN
            (SELECT device, hour FROM submissions WHERE hour < ?1 ORDER BY hour LIMIT \(purgeLimit))
        """

    static func count(of device: DeviceID, at now: Timestamp, _ statement: SQLiteStatement) throws(SQLiteError) -> Int64 {
        let hours = SubmissionHours.counted(at: now)
        statement.bind(1, device.bytes)
        statement.bind(2, hours.lowerBound)
        statement.bind(3, hours.upperBound)
        return try statement.first { $0.int64(0) } ?? 0
    }

    func count(of device: DeviceID, at now: Timestamp) throws(SQLiteError) -> Int64 {
        try Self.count(of: device, at: now, count)
    }

    func add(of device: DeviceID, at time: Timestamp) throws(SQLiteError) {
        increment.bind(1, device.bytes)
        increment.bind(2, SubmissionHours.hour(of: time))
        try increment.run()
    }

    /// Removes the counts of a device. Rare, so its statement is not kept.
    func remove(_ device: DeviceID) throws(SQLiteError) {
        let delete = try SQLiteStatement(connection, "DELETE FROM submissions WHERE device = ?1")
        delete.bind(1, device.bytes)
        try delete.run()
    }

    /// Removes at most `purgeLimit` counts that are not included at `now` any more. True if there may be more.
    func purge(now: Timestamp) throws(SQLiteError) -> Bool {
        let purge = try SQLiteStatement(connection, Self.purging)
        purge.bind(1, SubmissionHours.counted(at: now).lowerBound)
        try purge.run()
        return connection.changes >= Self.purgeLimit
    }
}
