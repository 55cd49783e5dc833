import AssayCore

/// Receipts that are due, found by an index in the order in which they became so.
enum ReceiptScan {
    private static let condition = " WHERE devices.app = ?1 AND environment = ?2 AND receipt_due <= ?3"

    /// Asked once in a while: nothing is kept prepared.
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
