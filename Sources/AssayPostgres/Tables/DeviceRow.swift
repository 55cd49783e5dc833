import AssayCore
import AssayLedger

/// Reads a device: its wide row, its hot row and its blocks.
enum DeviceRow {
    /// What each query begins with; the columns that follow are its own.
    static let columns = """
        id, subject, format, public_key, environment, anchor, claims, chain_serials, receipt, simulated, imported, registered_at,
            counter, "window", last_accepted_at, counters.blocked, attestation_key, receipt_due, receipt_failures, receipt_end,
            risk_metric, risk_metric_at, flags, b1.reason, b1.since, b2.reason, b2.since, b4.reason, b4.since
        """
    /// The number of ``columns``, and so the first of those that follow.
    static let following: Int32 = 29

    /// What follows `devices` in the FROM clause. Each of the three joins with blocks finds at most one, and there are few blocks.
    static let joins = """
        JOIN counters ON counters.device = id
            LEFT JOIN blocks b1 ON b1.app = devices.app AND b1.kind = 1 AND b1.target = id
            LEFT JOIN blocks b2 ON b2.app = devices.app AND b2.kind = 2 AND b2.target = subject
            LEFT JOIN blocks b4 ON b4.app = devices.app AND b4.kind = 4 AND b4.target = devices.key_id
        """

    /// The query without its WHERE clause.
    static let selection = "SELECT \(columns), devices.app, devices.key_id, number FROM devices \(joins)"

    /// A row of ``selection``.
    static func device(_ row: PostgresRow) throws(PostgresError) -> Device {
        guard let app = AppID(row.text(following)) else { throw .damaged("the app of a device is none") }
        return try device(row, DeviceKey(app: app, keyID: row.bytes(following + 1)))
    }

    /// A row that begins with ``columns``.
    static func device(_ row: PostgresRow, _ key: DeviceKey) throws(PostgresError) -> Device {
        guard let id = DeviceID(bytes: row.bytes(0)) else { throw .damaged("the name of a device is none") }
        guard let claims = Claims(decoding: row.bytes(6)), let serials = ByteStrings.decode(row.bytes(7)),
            let counter = UInt32(exactly: row.int64(12))
        else { throw .damaged("the record of \(id) does not decode") }
        let blocks = blocks(row)
        // The flag decides commits, and operators see the blocks: they must agree.
        guard blocks.reduce(0, { $0 | Int64($1.kind.rawValue) }) == flag(row) else {
            throw .damaged("the blocks of \(id) are not those of its flag")
        }
        return Device(
            id: id, app: key.app, subject: row.isNull(1) ? nil : row.bytes(1),
            registration: Registration(
                format: EvidenceFormat(rawValue: row.text(2)), keyID: key.keyID, publicKey: row.bytes(3),
                environment: row.text(4), anchor: row.bytes(5), claims: claims, chainSerials: serials,
                attestationKey: row.bytes(16), receipt: row.bytes(8),
                simulated: row.bool(9), imported: row.bool(10)),
            registeredAt: Timestamp(unixMilliseconds: row.int64(11)), blocks: blocks, counter: counter,
            counterWindow: UInt64(bitPattern: row.int64(13)), lastAcceptedAt: Timestamp(unixMilliseconds: row.int64(14)),
            exchange: try exchange(row), flags: try flags(row))
    }

    static func flags(_ row: PostgresRow) throws(PostgresError) -> [DeviceFlag] {
        guard !row.isNull(22) else { return [] }
        guard let flags = [DeviceFlag](decoding: row.bytes(22)) else { throw .damaged("the flags of a device do not decode") }
        return flags
    }

    private static func exchange(_ row: PostgresRow) throws(PostgresError) -> ReceiptExchange {
        func time(_ column: Int32) -> Timestamp? {
            row.isNull(column) ? nil : Timestamp(unixMilliseconds: row.int64(column))
        }
        let end = row.isNull(19) ? nil : row.text(19)
        guard let failures = UInt32(exactly: row.int64(18)), end == nil || end.flatMap(ReceiptExchange.End.init) != nil else {
            throw .damaged("what became of a receipt does not decode")
        }
        return ReceiptExchange(
            due: time(17), failures: failures, end: end.flatMap(ReceiptExchange.End.init),
            metric: row.isNull(20) ? nil : time(21).map { RiskMetric(row.int64(20), at: $0) })
    }

    /// The position of the device in listings, in a row of ``selection``.
    static func number(_ row: PostgresRow) -> Int64 { row.int64(following + 2) }
    static func isBlocked(_ row: PostgresRow) -> Bool { flag(row) != 0 }

    /// A bit for each kind of block.
    private static func flag(_ row: PostgresRow) -> Int64 { row.int64(15) }

    private static func blocks(_ row: PostgresRow) -> [Device.Block] {
        // Few devices have any.
        guard !row.isNull(23) || !row.isNull(25) || !row.isNull(27) else { return [] }
        return zip(BlockKind.allCases, [23, 25, 27] as [Int32]).compactMap { kind, column in
            guard !row.isNull(column) else { return nil }
            return Device.Block(
                kind, reason: row.text(column), since: Timestamp(unixMilliseconds: row.int64(column + 1)))
        }
    }
}

/// Reads a page of the devices of an app, by an index in the order of registration.
enum DeviceScan {
    /// The most records that one page reads, so that a rare state in a large app costs many short queries in place of a long one.
    static let lookLimit = 10_000
    /// The records of one query.
    private static let chunk = 1000

    static func page(_ listing: DeviceListing, _ database: Database) throws(PostgresError) -> DevicePage {
        var devices: [Device] = []
        var looked = 0
        var hasMore = false
        var last = listing.position
        // Without a condition one record more than the page shows that another page follows.
        let limit = listing.isBlocked == nil && listing.flag == nil ? min(chunk, max(0, listing.limit) + 1) : chunk
        while !hasMore, looked < lookLimit {
            let rows = try self.rows(of: listing, after: last, limit: limit, database)
            try rows.forEach { row throws(PostgresError) in
                guard devices.count < listing.limit else {
                    hasMore = true
                    return false
                }
                looked += 1
                last = DeviceRow.number(row)
                if try listing.selects(isBlocked: DeviceRow.isBlocked(row), flags: DeviceRow.flags(row)) {
                    devices.append(try DeviceRow.device(row))
                }
                return true
            }
            guard rows.count >= limit else { break }
        }
        return DevicePage(devices: devices, next: hasMore || looked >= lookLimit ? last : nil)
    }

    private static func rows(
        of listing: DeviceListing, after position: Int64, limit: Int, _ database: Database
    ) throws(PostgresError) -> PostgresRows {
        let (app, from, limit) = (SQLValue.text(listing.app.text), SQLValue.int8(position), SQLValue.int8(Int64(limit)))
        let condition = " WHERE devices.app = $1 AND number > $2" + (listing.flag == nil ? "" : " AND flags IS NOT NULL")
        guard let subject = listing.subject else {
            return try database.query(DeviceRow.selection + condition + " ORDER BY number LIMIT $3", app, from, limit)
        }
        return try database.query(
            DeviceRow.selection + condition + " AND subject = $4 ORDER BY number LIMIT $3", app, from, limit, .bytes(subject))
    }
}

/// Reads due receipts, by an index in the order of their due times.
enum ReceiptScan {
    private static let condition = " WHERE devices.app = $1 AND environment = $2 AND receipt_due <= $3"

    static func due(
        _ queue: ReceiptQueue, at now: Timestamp, limit: Int, _ database: Database
    ) throws(PostgresError) -> DueReceipts {
        func parameters(_ limit: Int) -> [SQLValue] {
            [.text(queue.app.text), .text(queue.environment), .int8(now.unixMilliseconds), .int8(Int64(max(0, limit)))]
        }
        let results = try database.run([
            SQLStatement(DeviceRow.selection + condition + " ORDER BY receipt_due, number LIMIT $4", parameters(limit)),
            SQLStatement(
                "SELECT count(*) FROM (SELECT 1 FROM devices" + condition + " LIMIT $4) AS found",
                parameters(DueReceipts.countLimit)),
        ])
        let devices = try results.first?.all(DeviceRow.device) ?? []
        return DueReceipts(devices: devices, count: Int(try results.last?.first { $0.int64(0) } ?? 0))
    }
}
