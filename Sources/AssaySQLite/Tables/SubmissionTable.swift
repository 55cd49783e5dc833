import AssayCore
import AssayLedger

/// Counts the submissions of devices by the hour.
///
/// It remembers the numbers that it last read or made, so that most submissions are counted without a query. They are those of the
/// transaction: after one that failed, and after another process wrote, ``start(forgetting:)`` forgets them.
final class SubmissionTable {
    /// The most devices whose numbers are remembered, of some 200 bytes each. Beyond it all are forgotten.
    static let memoryLimit = 16_384
    /// The most rows of one purge, so that commits run between purges.
    static let purgeLimit = 1000

    private let connection: SQLiteConnection
    private let count: SQLiteStatement
    private let increment: SQLiteStatement
    private var known: [DeviceID: SubmissionCount] = [:]
    /// The numbers that the transaction changed, in its order, and the devices whose numbers it removed.
    private(set) var changed: [SubmissionCount] = []
    private(set) var removed: [DeviceID] = []
    /// Whether the transaction removed old counts, of any devices.
    private(set) var isPurged = false

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

    /// Begins a transaction.
    ///
    /// - Parameter forgetting: whether the file may have changed otherwise than by the transactions before.
    func start(forgetting: Bool) {
        changed.removeAll(keepingCapacity: true)
        removed.removeAll(keepingCapacity: true)
        isPurged = false
        if forgetting { known.removeAll(keepingCapacity: true) }
    }

    static func count(
        of device: DeviceID, in hours: ClosedRange<Int64>, _ statement: SQLiteStatement
    ) throws(SQLiteError) -> SubmissionCount {
        statement.bind(1, device.bytes)
        statement.bind(2, hours.lowerBound)
        statement.bind(3, hours.upperBound)
        return SubmissionCount(of: device, in: hours, try statement.first { $0.int64(0) } ?? 0)
    }

    func count(of device: DeviceID, at now: Timestamp) throws(SQLiteError) -> Int64 {
        let hours = SubmissionHours.counted(at: now)
        if let known = known[device], known.hours == hours { return known.count }
        let found = try Self.count(of: device, in: hours, count)
        remember(found)
        return found.count
    }

    /// Counts one more.
    func add(of device: DeviceID, at time: Timestamp) throws(SQLiteError) {
        let before = try count(of: device, at: time)
        increment.bind(1, device.bytes)
        increment.bind(2, SubmissionHours.hour(of: time))
        try increment.run()
        let after = SubmissionCount(of: device, in: SubmissionHours.counted(at: time), before + 1)
        remember(after)
        changed.append(after)
    }

    private func remember(_ count: SubmissionCount) {
        if known.count >= Self.memoryLimit { known.removeAll(keepingCapacity: true) }
        known[count.device] = count
    }

    /// Removes the counts of a device. Rare, so its statement is not kept.
    func remove(_ device: DeviceID) throws(SQLiteError) {
        let delete = try SQLiteStatement(connection, "DELETE FROM submissions WHERE device = ?1")
        delete.bind(1, device.bytes)
        try delete.run()
        known[device] = nil
        changed.removeAll { $0.device == device }
        removed.append(device)
    }

    /// Removes at most `purgeLimit` counts that are not included at `now` any more. True if there may be more.
    func purge(now: Timestamp) throws(SQLiteError) -> Bool {
        let purge = try SQLiteStatement(connection, Self.purging)
        purge.bind(1, SubmissionHours.counted(at: now).lowerBound)
        try purge.run()
        let count = connection.changes
        if count > 0 {
            // A count at an earlier time, such as after the clock was set back, may have included them.
            known.removeAll(keepingCapacity: true)
            changed.removeAll(keepingCapacity: true)
            isPurged = true
        }
        return count >= Self.purgeLimit
    }
}
