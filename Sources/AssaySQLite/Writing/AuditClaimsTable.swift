import AssayCore

/// Claims beside audit records. Unlike these they can be deleted.
final class AuditClaimsTable {
    /// Rows that one deletion takes, so that commits get their turn between.
    static let forgetLimit = 1000

    private let connection: SQLiteConnection
    private let insert: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        insert = try SQLiteStatement(connection, "INSERT INTO audit_claims VALUES (?1, ?2, ?3, ?4, ?5)")
    }

    func keep(_ claims: AuditClaims, of number: Int64, _ record: AuditRecord) throws(SQLiteFailure) {
        insert.bind(1, number)
        insert.bind(2, record.device?.bytes)
        insert.bind(3, record.app.text)
        insert.bind(4, claims.salt)
        insert.bind(5, claims.claims)
        try insert.run()
    }

    /// Deletes some of a device's claims, and returns how many.
    func forget(_ device: DeviceID, _ app: AppID) throws(SQLiteFailure) -> Int64 {
        try erasing { () throws(SQLiteFailure) in
            let delete = try SQLiteStatement(
                connection,
                """
                DELETE FROM audit_claims WHERE number IN
                    (SELECT number FROM audit_claims WHERE device = ?1 AND app = ?2 LIMIT \(Self.forgetLimit))
                """)
            delete.bind(1, device.bytes)
            delete.bind(2, app.text)
            try delete.run()
            return Int64(connection.changes)
        }
    }

    /// Deletes the claims of records up to a number.
    func drop(upTo number: Int64) throws(SQLiteFailure) {
        try erasing { () throws(SQLiteFailure) in
            let delete = try SQLiteStatement(connection, "DELETE FROM audit_claims WHERE number <= ?1")
            delete.bind(1, number)
            try delete.run()
        }
    }

    /// Deletes so that the bytes are overwritten, wherever they lie.
    private func erasing<T>(_ body: () throws(SQLiteFailure) -> T) throws(SQLiteFailure) -> T {
        try connection.execute("PRAGMA secure_delete=ON")
        defer { try? connection.execute("PRAGMA secure_delete=FAST") }
        return try body()
    }
}
