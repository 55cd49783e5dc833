import AssayCore

/// Registers devices.
final class DeviceTable {
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let lookup: SQLiteStatement
    private let count: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO devices (id, key_id, app, subject, format, public_key, environment, anchor, simulated,
                registered_at, chain_serials, claims, receipt)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT DO NOTHING
            """)
        lookup = try SQLiteStatement(connection, "SELECT 1 FROM devices WHERE (key_id = ?1 AND app = ?2) OR id = ?3")
        count = try SQLiteStatement(connection, "UPDATE meta SET value = value + 1 WHERE name = 'devices'")
    }

    /// True if a device of that app and key, or of that name, is registered.
    func contains(_ device: Device) throws(SQLiteFailure) -> Bool {
        lookup.bind(1, device.registration.keyID)
        lookup.bind(2, device.app.text)
        lookup.bind(3, device.id.bytes)
        return try lookup.exists()
    }

    /// False, and nothing changed, if it is registered already.
    func add(_ device: Device) throws(SQLiteFailure) -> Bool {
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
        insert.bind(10, device.registeredAt.unixMilliseconds)
        insert.bind(11, ByteStrings.encode(registration.chainSerials))
        insert.bind(12, registration.claims.encoded())
        insert.bind(13, registration.receipt)
        try insert.run()
        guard connection.changes == 1 else { return false }
        try count.run()
        return true
    }
}
