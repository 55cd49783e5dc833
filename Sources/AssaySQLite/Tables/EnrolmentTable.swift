import AssayCore

/// The permissions to provision devices of fleets. The statements of a provisioning are kept, the others are rare.
final class EnrolmentTable {
    private let connection: SQLiteConnection
    private let find: LazyStatement
    private let markUsed: LazyStatement

    init(connection: SQLiteConnection) {
        self.connection = connection
        find = LazyStatement(connection, Self.selection + Self.isPermit)
        markUsed = LazyStatement(connection, Self.using)
    }

    static let selection = "SELECT app, kind, permit, family, created_at, expiry, used_by, replaces, number FROM enrolments"
    static let isPermit = " WHERE permit = ?1 AND kind = ?2 AND app = ?3"
    static let using = "UPDATE enrolments SET used_by = ?4" + isPermit

    /// Adds a permission. False, and no change, if one with the same permit is on record.
    func add(_ enrolment: Enrolment) throws(SQLiteError) -> Bool {
        try insert(enrolment, "DO NOTHING")
        return connection.changes == 1
    }

    /// Adds a permission, or puts it in the place of one with the same permit.
    func put(_ enrolment: Enrolment) throws(SQLiteError) {
        try insert(
            enrolment,
            """
            (permit, kind, app) DO UPDATE SET family = excluded.family, created_at = excluded.created_at,
                expiry = excluded.expiry, used_by = excluded.used_by, replaces = excluded.replaces
            """)
    }

    private func insert(_ enrolment: Enrolment, _ conflict: String) throws(SQLiteError) {
        let insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO enrolments (app, kind, permit, family, created_at, expiry, used_by, replaces)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT \(conflict)
            """)
        insert.bind(1, enrolment.app.text)
        insert.bind(2, Int64(enrolment.permit.kind))
        insert.bind(3, enrolment.permit.bytes)
        insert.bind(4, enrolment.family)
        insert.bind(5, enrolment.createdAt.unixMilliseconds)
        insert.bind(6, enrolment.expiry?.unixMilliseconds)
        insert.bind(7, enrolment.usedBy?.bytes)
        insert.bind(8, enrolment.replaces?.bytes)
        try insert.run()
    }

    /// Removes an unused permission. False if there is none. An unused readmission becomes the used permission of its device.
    func remove(_ permit: Enrolment.Permit, of app: AppID) throws(SQLiteError) -> Bool {
        let restore = try SQLiteStatement(
            connection,
            "UPDATE enrolments SET used_by = replaces, replaces = NULL, expiry = NULL" + Self.isPermit
                + " AND used_by IS NULL AND replaces IS NOT NULL")
        Self.bind(permit, app, to: restore)
        try restore.run()
        guard connection.changes == 0 else { return true }
        let delete = try SQLiteStatement(connection, "DELETE FROM enrolments" + Self.isPermit + " AND used_by IS NULL")
        Self.bind(permit, app, to: delete)
        try delete.run()
        return connection.changes == 1
    }

    func enrolment(_ permit: Enrolment.Permit, of app: AppID) throws(SQLiteError) -> Enrolment? {
        let select = try find.prepared()
        Self.bind(permit, app, to: select)
        return try select.first(Self.enrolment)
    }

    func use(_ permit: Enrolment.Permit, of app: AppID, by device: DeviceID) throws(SQLiteError) {
        let update = try markUsed.prepared()
        Self.bind(permit, app, to: update)
        update.bind(4, device.bytes)
        try update.run()
    }

    private static func bind(_ permit: Enrolment.Permit, _ app: AppID, to statement: SQLiteStatement) {
        statement.bind(1, permit.bytes)
        statement.bind(2, Int64(permit.kind))
        statement.bind(3, app.text)
    }

    static func enrolment(_ row: SQLiteStatement) throws(SQLiteError) -> Enrolment {
        let user = row.isNull(6) ? nil : DeviceID(bytes: row.bytes(6))
        let replaced = row.isNull(7) ? nil : DeviceID(bytes: row.bytes(7))
        guard let app = AppID(row.text(0)),
            let permit = UInt8(exactly: row.int64(1)).flatMap({ Enrolment.Permit(kind: $0, bytes: row.bytes(2)) }),
            row.isNull(6) || user != nil, row.isNull(7) || replaced != nil
        else { throw .damaged("a permission to provision a device does not decode") }
        return Enrolment(
            app: app, permit: permit, family: row.text(3), createdAt: Timestamp(unixMilliseconds: row.int64(4)),
            expiry: row.isNull(5) ? nil : Timestamp(unixMilliseconds: row.int64(5)), usedBy: user, replaces: replaced)
    }
}

/// Reads a page of the permissions of an app, by an index in the order in which they were added.
enum EnrolmentScan {
    /// The most records that one page reads.
    static let lookLimit = 10_000

    static let selection = EnrolmentTable.selection + " WHERE app = ?1 AND number > ?2 ORDER BY number LIMIT ?3"

    static func page(
        _ listing: EnrolmentListing, lookLimit: Int = lookLimit, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> EnrolmentPage {
        let scan = try SQLiteStatement(connection, selection)
        scan.bind(1, listing.app.text)
        scan.bind(2, listing.position)
        scan.bind(3, Int64(lookLimit))
        var enrolments: [Enrolment] = []
        var looked = 0
        var hasMore = false
        var last = listing.position
        try scan.forEach { row throws(SQLiteError) in
            guard enrolments.count < listing.limit else {
                hasMore = true
                return false
            }
            looked += 1
            last = row.int64(8)
            let isUsed = !row.isNull(6)
            if listing.isUsed ?? isUsed == isUsed { enrolments.append(try EnrolmentTable.enrolment(row)) }
            return true
        }
        return EnrolmentPage(enrolments: enrolments, next: hasMore || looked >= lookLimit ? last : nil)
    }
}
