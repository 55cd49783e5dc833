import AssayCore

/// The provisioned devices of fleets.
final class FleetTable {
    private let connection: SQLiteConnection
    private let bySerial: LazyStatement
    private let byIdempotency: LazyStatement
    private let bySecret: LazyStatement
    private let insert: LazyStatement

    init(connection: SQLiteConnection) {
        self.connection = connection
        bySerial = LazyStatement(connection, Self.selection + Self.hasSerial)
        byIdempotency = LazyStatement(connection, Self.selection + Self.hasIdempotency)
        bySecret = LazyStatement(connection, Self.secret)
        insert = LazyStatement(connection, Self.insertion)
    }

    /// The query without its WHERE clause. CROSS JOIN fixes the order: a device is found first, then its certificate.
    static let selection = """
        SELECT fleet_devices.app, fleet_devices.serial, fleet_devices.device, secret_hash, tables, issuers.issuer,
            certificates.serial, idempotency, request, provisioned_at, superseded_at
        FROM fleet_devices CROSS JOIN certificates ON certificates.number = certificate
            CROSS JOIN issuers ON issuers.number = certificates.issuer
        """
    /// SQLite uses a partial index only if the query repeats its condition.
    static let hasSerial = " WHERE fleet_devices.serial = ?1 AND fleet_devices.app = ?2 AND superseded_at IS NULL"
    static let hasIdempotency = " WHERE idempotency = ?1 AND idempotency <> x''"
    static let secret = "SELECT 1 FROM fleet_devices WHERE secret_hash = ?1 AND app = ?2"
    /// The blocked keys among those of all devices of a serial number. ?3 is the kind of block.
    static let blockedKeys = ["IS NULL", "IS NOT NULL"].flatMap { superseded in
        [
            """
            SELECT 1 FROM fleet_devices CROSS JOIN blocks
                ON blocks.app = fleet_devices.app AND kind = ?3 AND target = secret_hash
            WHERE serial = ?1 AND fleet_devices.app = ?2 AND superseded_at \(superseded)
            """,
            """
            SELECT 1 FROM fleet_devices CROSS JOIN certificates ON certificates.device = fleet_devices.device CROSS JOIN blocks
                ON blocks.app = fleet_devices.app AND kind = ?3 AND target = certificates.key_id
            WHERE fleet_devices.serial = ?1 AND fleet_devices.app = ?2 AND superseded_at \(superseded)
            """,
        ]
    }.joined(separator: " UNION ALL ")
    /// All devices of a serial number. ?1 is the app, ?5 the serial number, as `CertificateScan` has them.
    static let devices = ["IS NULL", "IS NOT NULL"].map {
        "SELECT device FROM fleet_devices WHERE serial = ?5 AND app = ?1 AND superseded_at \($0)"
    }.joined(separator: " UNION ALL ")
    static let supersession = "UPDATE fleet_devices SET superseded_at = ?3" + hasSerial
    static let insertion = """
        INSERT INTO fleet_devices (app, serial, device, secret_hash, tables, certificate, idempotency, request, provisioned_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """

    /// True if a secret was provisioned before in an app.
    func contains(secretHash: [UInt8], app: AppID) throws(SQLiteError) -> Bool {
        let select = try bySecret.prepared()
        select.bind(1, secretHash)
        select.bind(2, app.text)
        return try select.exists()
    }

    /// True if the key of a device that was provisioned under a serial number is blocked. Rare, so the statement is not kept.
    func hasBlockedKey(serial: [UInt8], app: AppID) throws(SQLiteError) -> Bool {
        let select = try SQLiteStatement(connection, Self.blockedKeys)
        select.bind(1, serial)
        select.bind(2, app.text)
        select.bind(3, Int64(BlockKind.key.rawValue))
        return try select.exists()
    }

    /// Another device is about to get the serial number. Rare, so the statement is not kept.
    func supersede(serial: [UInt8], app: AppID, at time: Timestamp) throws(SQLiteError) {
        let update = try SQLiteStatement(connection, Self.supersession)
        update.bind(1, serial)
        update.bind(2, app.text)
        update.bind(3, time.unixMilliseconds)
        try update.run()
    }

    /// The record of a serial number that is not superseded.
    func device(serial: [UInt8], app: AppID) throws(SQLiteError) -> FleetDevice? {
        let select = try bySerial.prepared()
        select.bind(1, serial)
        select.bind(2, app.text)
        return try select.first(Self.device)
    }

    func device(idempotencyKey key: [UInt8]) throws(SQLiteError) -> FleetDevice? {
        let select = try byIdempotency.prepared()
        select.bind(1, key)
        return try select.first(Self.device)
    }

    /// - Parameter certificate: the number of the device's certificate.
    func add(_ record: FleetDevice, certificate: Int64) throws(SQLiteError) {
        let insert = try insert.prepared()
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
            request: row.bytes(8), provisionedAt: Timestamp(unixMilliseconds: row.int64(9)),
            supersededAt: row.isNull(10) ? nil : Timestamp(unixMilliseconds: row.int64(10)))
    }

    /// Numbers of 2 bytes, big-endian; `nil` for half a number.
    private static func numbers(_ bytes: [UInt8]) -> [UInt16]? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }
}
