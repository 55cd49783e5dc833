import AssayCore
import AssayLedger

/// Adds, looks up, counts and removes device records.
final class DeviceTable {
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let lookup: SQLiteStatement
    private let find: SQLiteStatement
    private let ofSubject: SQLiteStatement
    private let delete: SQLiteStatement
    private let count: SQLiteStatement
    /// How many devices more there are than before the transaction. Stored once, at its end (``keepCount()``).
    private(set) var added: Int64 = 0

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO devices (id, key_id, app, subject, format, public_key, environment, anchor, simulated,
                imported, registered_at, chain_serials, claims, receipt, attestation_key,
                receipt_due, receipt_failures, receipt_end, risk_metric, risk_metric_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)
            ON CONFLICT DO NOTHING
            """)
        lookup = try SQLiteStatement(connection, "SELECT 1 FROM devices WHERE (key_id = ?1 AND app = ?2) OR id = ?3")
        find = try SQLiteStatement(connection, DeviceRow.selection + " WHERE key_id = ?1 AND devices.app = ?2")
        ofSubject = try SQLiteStatement(
            connection, "SELECT count(*) FROM (SELECT 1 FROM devices WHERE app = ?1 AND subject = ?2 LIMIT ?3)")
        delete = try SQLiteStatement(connection, "DELETE FROM devices WHERE id = ?1")
        count = try SQLiteStatement(connection, "UPDATE meta SET value = value + ?1 WHERE name = 'devices'")
    }

    /// True if a device with the same app and key, or the same id, is registered.
    func contains(_ device: Device) throws(SQLiteError) -> Bool {
        lookup.bind(1, device.registration.keyID)
        lookup.bind(2, device.app.text)
        lookup.bind(3, device.id.bytes)
        return try lookup.exists()
    }

    /// Adds a device. False, and no change, if its key or id is registered.
    func add(_ device: Device) throws(SQLiteError) -> Bool {
        let registration = device.registration
        insert.bind(1, device.id.bytes)
        insert.bind(2, registration.keyID)
        insert.bind(3, device.app.text)
        insert.bind(4, device.subject)
        insert.bind(5, registration.format.rawValue)
        insert.bind(6, registration.publicKey)
        insert.bind(7, registration.environment)
        insert.bind(8, registration.anchor)
        insert.bind(9, registration.simulated ? 1 : 0)
        insert.bind(10, registration.imported ? 1 : 0)
        insert.bind(11, device.registeredAt.unixMilliseconds)
        insert.bind(12, ByteStrings.encode(registration.chainSerials))
        insert.bind(13, registration.claims.encoded())
        insert.bind(14, registration.receipt)
        insert.bind(15, registration.attestationKey)
        insert.bind(device.exchange, from: 16)
        try insert.run()
        guard connection.changes == 1 else { return false }
        added += 1
        return true
    }

    /// The device that is registered with a key.
    func device(_ key: DeviceKey) throws(SQLiteError) -> Device? {
        find.bind(1, key.keyID)
        find.bind(2, key.app.text)
        return try find.first(DeviceRow.device)
    }

    /// The device with an id. Rare, so its statement is not kept.
    func device(_ id: DeviceID) throws(SQLiteError) -> Device? {
        let find = try SQLiteStatement(connection, DeviceRow.selection + " WHERE id = ?1")
        find.bind(1, id.bytes)
        return try find.first(DeviceRow.device)
    }

    /// The number of devices of a device's app and subject, up to `limit`; 0 if it has no subject.
    func count(ofSubjectOf device: Device, upTo limit: UInt32) throws(SQLiteError) -> Int64 {
        guard let subject = device.subject else { return 0 }
        ofSubject.bind(1, device.app.text)
        ofSubject.bind(2, subject)
        ofSubject.bind(3, Int64(limit))
        return try ofSubject.first { $0.int64(0) } ?? 0
    }

    /// Stores the state of a receipt's exchange. Changes nothing if the device is not registered.
    func keep(_ outcome: ReceiptOutcome) throws(SQLiteError) {
        // About once a week for each device, so the statement is not kept.
        let update = try SQLiteStatement(
            connection,
            """
            UPDATE devices SET receipt_due = ?2, receipt_failures = ?3, receipt_end = ?4, risk_metric = ?5,
                risk_metric_at = ?6, receipt = coalesce(?7, receipt) WHERE id = ?1
            """)
        update.bind(1, outcome.device.bytes)
        update.bind(outcome.exchange, from: 2)
        update.bind(7, outcome.receipt)
        try update.run()
    }

    /// Stores the flags of a device, and overwrites the bytes of those before.
    func keep(_ flags: [DeviceFlag], of device: DeviceID) throws(SQLiteError) {
        // Rare, so the statement is not kept.
        let update = try SQLiteStatement(connection, "UPDATE devices SET flags = ?2 WHERE id = ?1")
        update.bind(1, device.bytes)
        update.bind(2, flags.isEmpty ? nil : flags.encoded())
        try connection.overwritingDeleted { () throws(SQLiteError) in try update.run() }
    }

    /// Removes a record, after its hot row, and overwrites its bytes.
    func remove(_ device: DeviceID) throws(SQLiteError) {
        delete.bind(1, device.bytes)
        try connection.overwritingDeleted { () throws(SQLiteError) in try delete.run() }
        added -= 1
    }

    // MARK: The count of devices

    /// A transaction begins.
    func start() { added = 0 }

    /// A part of the transaction was reverted.
    ///
    /// - Parameter added: as it was before that part.
    func revert(to added: Int64) { self.added = added }

    /// Stores the count. Call it before the transaction is committed.
    func keepCount() throws(SQLiteError) {
        guard added != 0 else { return }
        count.bind(1, added)
        try count.run()
        added = 0
    }
}

extension SQLiteStatement {
    /// Binds the five columns of the exchange, in the order of the table.
    func bind(_ exchange: ReceiptExchange, from index: Int32) {
        bind(index, exchange.due?.unixMilliseconds)
        bind(index + 1, Int64(exchange.failures))
        bind(index + 2, exchange.end?.rawValue)
        bind(index + 3, exchange.metric?.value)
        bind(index + 4, exchange.metric?.at.unixMilliseconds)
    }
}
