import AssayCore

/// The submissions of devices, counted by the hour.
enum Submissions {
    /// The most rows of one deletion, so that commits run between deletions.
    private static let deletionLimit: Int64 = 1000

    static func count(of device: DeviceID, at now: Timestamp) -> Lookup<Int64> {
        let hours = SubmissionHours.counted(at: now)
        let statement = SQLStatement(
            "SELECT coalesce(sum(count), 0)::bigint FROM submissions WHERE device = $1 AND hour BETWEEN $2 AND $3",
            .bytes(device.bytes), .int8(hours.lowerBound), .int8(hours.upperBound))
        return Lookup(statement) { rows throws(PostgresError) in try rows.first { $0.int64(0) } ?? 0 }
    }

    /// Removes counts that are not included at `now` any more, a bounded number. True if there may be more.
    static func purge(now: Timestamp, _ database: Database) throws(PostgresError) -> Bool {
        let deleted = try database.query(
            """
            DELETE FROM submissions WHERE (device, hour) IN
                (SELECT device, hour FROM submissions WHERE hour < $1 ORDER BY hour LIMIT $2 FOR UPDATE SKIP LOCKED)
            """, .int8(SubmissionHours.counted(at: now).lowerBound), .int8(deletionLimit))
        return deleted.affected >= deletionLimit
    }
}
