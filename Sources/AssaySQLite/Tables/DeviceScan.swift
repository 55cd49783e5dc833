import AssayCore

/// Reads a page of the devices of an app, by an index in the order of registration.
enum DeviceScan {
    /// The most records that one page reads, so that a rare state in a large app costs many short queries in place of a long one.
    static let lookLimit = 10_000

    static func page(_ listing: DeviceListing, _ connection: SQLiteConnection) throws(SQLiteFailure) -> DevicePage {
        // Rare, so the statement is not kept.
        let scan = try SQLiteStatement(
            connection,
            DeviceRow.selection
                + " WHERE devices.app = ?1 AND number > ?2" + (listing.subject == nil ? "" : " AND subject = ?4")
                + " ORDER BY number LIMIT ?3")
        scan.bind(1, listing.app.text)
        scan.bind(2, listing.position)
        scan.bind(3, Int64(lookLimit))
        if let subject = listing.subject { scan.bind(4, subject) }
        var devices: [Device] = []
        var looked = 0
        var hasMore = false
        var last = listing.position
        try scan.forEach { row throws(SQLiteFailure) in
            guard devices.count < listing.limit else {
                hasMore = true
                return false
            }
            looked += 1
            last = DeviceRow.number(row)
            if listing.isBlocked ?? DeviceRow.isBlocked(row) == DeviceRow.isBlocked(row) {
                devices.append(try DeviceRow.device(row))
            }
            return true
        }
        return DevicePage(devices: devices, next: hasMore || looked >= lookLimit ? last : nil)
    }
}

/// Reads due receipts, by an index in the order of their due times.
enum ReceiptScan {
    private static let condition = " WHERE devices.app = ?1 AND environment = ?2 AND receipt_due <= ?3"

    /// Rare, so its statements are not kept.
    static func due(
        _ queue: ReceiptQueue, at now: Timestamp, limit: Int, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) -> DueReceipts {
        let scan = try statement(
            DeviceRow.selection + condition + " ORDER BY receipt_due, number LIMIT ?4", queue, now, limit, connection)
        var devices: [Device] = []
        try scan.forEach { row throws(SQLiteFailure) in
            devices.append(try DeviceRow.device(row))
            return true
        }
        let count = try statement(
            "SELECT count(*) FROM (SELECT 1 FROM devices" + condition + " LIMIT ?4)", queue, now, DueReceipts.countLimit,
            connection)
        return DueReceipts(devices: devices, count: Int(try count.first { $0.int64(0) } ?? 0))
    }

    private static func statement(
        _ sql: String, _ queue: ReceiptQueue, _ now: Timestamp, _ limit: Int, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) -> SQLiteStatement {
        let statement = try SQLiteStatement(connection, sql)
        statement.bind(1, queue.app.text)
        statement.bind(2, queue.environment)
        statement.bind(3, now.unixMilliseconds)
        statement.bind(4, Int64(max(0, limit)))
        return statement
    }
}
