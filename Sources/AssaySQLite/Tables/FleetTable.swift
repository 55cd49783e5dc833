import AssayCore

/// The provisioned devices of fleets. Rare, so the statements are not kept.
struct FleetTable {
    let connection: SQLiteConnection

    /// The query without its WHERE clause. CROSS JOIN fixes the order: a device is found first, then its certificate.
    static let selection = """
        SELECT fleet_devices.app, fleet_devices.serial, fleet_devices.device, secret_hash, tables, issuers.issuer,
            certificates.serial, idempotency, request, provisioned_at
        FROM fleet_devices CROSS JOIN certificates ON certificates.number = certificate
            CROSS JOIN issuers ON issuers.number = certificates.issuer
        """
    static let hasSerial = " WHERE fleet_devices.serial = ?1 AND fleet_devices.app = ?2"
    /// SQLite uses the partial index only if the query repeats its condition.
    static let hasIdempotency = " WHERE idempotency = ?1 AND idempotency <> x''"
    static let presence = """
        SELECT 1 FROM fleet_devices WHERE serial = ?1 AND app = ?2
        UNION ALL SELECT 1 FROM fleet_devices WHERE secret_hash = ?3 AND app = ?2
        """

    /// True if the serial number or the secret of a device was provisioned before in its app.
    func contains(_ record: FleetDevice) throws(SQLiteError) -> Bool {
        let select = try SQLiteStatement(connection, Self.presence)
        select.bind(1, record.serial)
        select.bind(2, record.app.text)
        select.bind(3, record.secretHash)
        return try select.exists()
    }

    func device(serial: [UInt8], app: AppID) throws(SQLiteError) -> FleetDevice? {
        let select = try SQLiteStatement(connection, Self.selection + Self.hasSerial)
        select.bind(1, serial)
        select.bind(2, app.text)
        return try select.first(Self.device)
    }

    func device(idempotencyKey key: [UInt8]) throws(SQLiteError) -> FleetDevice? {
        let select = try SQLiteStatement(connection, Self.selection + Self.hasIdempotency)
        select.bind(1, key)
        return try select.first(Self.device)
    }

    /// - Parameter certificate: the number of the device's certificate.
    func add(_ record: FleetDevice, certificate: Int64) throws(SQLiteError) {
        let insert = try SQLiteStatement(
            connection, "INSERT INTO fleet_devices VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        insert.bind(1, record.app.text)
        insert.bind(2, record.serial)
        insert.bind(3, record.device.bytes)
        insert.bind(4, record.secretHash)
        insert.bind(5, record.tables.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        insert.bind(6, certificate)
        insert.bind(7, record.idempotency)
        insert.bind(8, record.request)
        insert.bind(9, record.provisionedAt.unixMilliseconds)
        try insert.run()
    }

    private static func device(_ row: SQLiteStatement) throws(SQLiteError) -> FleetDevice {
        guard let app = AppID(row.text(0)), let device = DeviceID(bytes: row.bytes(2)), let tables = numbers(row.bytes(4))
        else {
            throw .damaged("the record of a fleet's device does not decode")
        }
        return FleetDevice(
            app: app, serial: row.bytes(1), device: device, secretHash: row.bytes(3), tables: tables,
            certificate: CertificateName(issuer: row.bytes(5), serial: row.bytes(6)), idempotency: row.bytes(7),
            request: row.bytes(8), provisionedAt: Timestamp(unixMilliseconds: row.int64(9)))
    }

    /// Numbers of 2 bytes, big-endian; `nil` for half a number.
    private static func numbers(_ bytes: [UInt8]) -> [UInt16]? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }
}
