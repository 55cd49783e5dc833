import AssayCore

/// A device as it is read: the wide row with its hot row and its block.
enum DeviceRow {
    static let selection = """
        SELECT id, app, subject, format, key_id, public_key, environment, anchor, claims, chain_serials, receipt, simulated,
            registered_at, counter, window, blocked, last_accepted_at, reason, since
        FROM devices JOIN counters ON counters.device = id LEFT JOIN blocks ON blocks.device = id
        """

    static func device(_ row: SQLiteStatement) throws(SQLiteFailure) -> Device {
        guard let id = DeviceID(bytes: row.bytes(0)), let app = AppID(row.text(1)) else {
            throw .damaged("the name or the app of a device is none")
        }
        guard let claims = Claims(decoding: row.bytes(8)), let serials = ByteStrings.decode(row.bytes(9)),
            let counter = UInt32(exactly: row.int64(13))
        else { throw .damaged("the record of \(id) does not decode") }
        let isBlocked = row.int64(15) != 0
        return Device(
            id: id, app: app, subject: row.isNull(2) ? nil : row.bytes(2),
            registration: Registration(
                format: EvidenceFormat(rawValue: row.text(3)), keyID: row.bytes(4), publicKey: row.bytes(5),
                environment: row.text(6), anchor: row.bytes(7), claims: claims, chainSerials: serials, receipt: row.bytes(10),
                simulated: row.int64(11) != 0),
            registeredAt: Timestamp(unixMilliseconds: row.int64(12)),
            block: isBlocked ? Device.Block(reason: row.text(17), since: Timestamp(unixMilliseconds: row.int64(18))) : nil,
            counter: counter, counterWindow: UInt64(bitPattern: row.int64(14)),
            lastAcceptedAt: Timestamp(unixMilliseconds: row.int64(16)))
    }
}
