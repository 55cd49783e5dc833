import AssayCore

/// The provisioned devices of fleets.
struct FleetTable {
    let database: Database

    private static let selection = """
        SELECT f.app, f.serial, f.device, f.secret_hash, f.tables, i.issuer,
            c.serial, f.idempotency, f.request, f.provisioned_at, f.superseded_at
        FROM fleet_devices f JOIN certificates c ON c.number = f.certificate JOIN issuers i ON i.number = c.issuer
        """

    /// The record of a serial number that is not superseded.
    func device(serial: [UInt8], app: AppID) throws(PostgresError) -> FleetDevice? {
        try database.query(
            Self.selection + " WHERE f.serial = $1 AND f.app = $2 AND f.superseded_at IS NULL", .bytes(serial), .text(app.text)
        ).first(Self.device)
    }

    func device(idempotencyKey key: [UInt8]) throws(PostgresError) -> FleetDevice? {
        try database.query(Self.selection + " WHERE f.idempotency = $1 AND f.idempotency <> ''::bytea", .bytes(key))
            .first(Self.device)
    }

    /// True if a secret was provisioned before in an app.
    func contains(secretHash: [UInt8], app: AppID) throws(PostgresError) -> Bool {
        try !database.query(
            "SELECT 1 FROM fleet_devices WHERE secret_hash = $1 AND app = $2", .bytes(secretHash), .text(app.text)
        ).isEmpty
    }

    /// The keys of all devices that were provisioned under a serial number, and those of their certificates.
    func keys(serial: [UInt8], app: AppID) throws(PostgresError) -> Set<DeviceKey> {
        let found = try database.query(
            """
            SELECT secret_hash FROM fleet_devices WHERE serial = $1 AND app = $2
            UNION SELECT c.key_id FROM fleet_devices f JOIN certificates c ON c.device = f.device WHERE f.serial = $1 AND f.app = $2
            """, .bytes(serial), .text(app.text)
        ).all { DeviceKey(app: app, keyID: $0.bytes(0)) }
        return Set(found)
    }

    /// The devices that were provisioned under a serial number. Each half is found by an index of its own.
    static func devices(serial: String, app: String) -> String {
        ["IS NULL", "IS NOT NULL"].map {
            "SELECT device FROM fleet_devices WHERE serial = \(serial) AND app = \(app) AND superseded_at \($0)"
        }.joined(separator: " UNION ALL ")
    }

    /// Waits until no other transaction changes the present record of a serial number, and keeps others from it.
    func lock(serial: [UInt8], app: AppID) throws(PostgresError) {
        _ = try database.query(
            "SELECT 1 FROM fleet_devices WHERE serial = $1 AND app = $2 AND superseded_at IS NULL FOR UPDATE", .bytes(serial),
            .text(app.text))
    }

    /// Another device is about to get the serial number.
    func supersede(serial: [UInt8], app: AppID, at time: Timestamp) throws(PostgresError) {
        _ = try database.query(
            "UPDATE fleet_devices SET superseded_at = $3 WHERE serial = $1 AND app = $2 AND superseded_at IS NULL",
            .bytes(serial),
            .text(app.text), .int8(time.unixMilliseconds))
    }

    /// - Parameter certificate: the number of the device's certificate.
    func add(_ record: FleetDevice, certificate: Int64) throws(PostgresError) {
        _ = try database.query(
            """
            INSERT INTO fleet_devices (app, serial, device, secret_hash, tables, certificate, idempotency, request, provisioned_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            .text(record.app.text), .bytes(record.serial), .bytes(record.device.bytes), .bytes(record.secretHash),
            .bytes(record.tables.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }), .int8(certificate),
            .bytes(record.idempotency), .bytes(record.request), .int8(record.provisionedAt.unixMilliseconds))
    }

    private static func device(_ row: PostgresRow) throws(PostgresError) -> FleetDevice {
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
