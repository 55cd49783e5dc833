import AssayCore

/// The permissions to provision devices of fleets.
struct EnrolmentTable {
    let database: Database

    static let selection = "SELECT app, kind, permit, family, created_at, expiry, used_by, replaces, number FROM enrolments"
    private static let isPermit = " WHERE permit = $1 AND kind = $2 AND app = $3"

    /// Adds permissions. For each whether it was added: false if one with the same permit is on record, or stands before it.
    func add(_ some: [Enrolment]) throws(PostgresError) -> [Bool] {
        var outcomes: [Bool] = []
        var rest = some[...]
        while !rest.isEmpty {
            let part = rest.prefix(200)
            rest = rest.dropFirst(part.count)
            outcomes += try database.run(part.map { Self.insertion(of: $0, "DO NOTHING") }).map { $0.affected == 1 }
        }
        return outcomes
    }

    /// Adds a permission, or puts it in the place of one with the same permit.
    func put(_ enrolment: Enrolment) throws(PostgresError) {
        _ = try database.run([
            Self.insertion(
                of: enrolment,
                """
                (permit, kind, app) DO UPDATE SET family = excluded.family, created_at = excluded.created_at,
                    expiry = excluded.expiry, used_by = excluded.used_by, replaces = excluded.replaces
                """)
        ])
    }

    private static func insertion(of enrolment: Enrolment, _ conflict: String) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO enrolments (app, kind, permit, family, created_at, expiry, used_by, replaces)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT \(conflict)
            """,
            .text(enrolment.app.text), .int8(Int64(enrolment.permit.kind)), .bytes(enrolment.permit.bytes),
            .text(enrolment.family), .int8(enrolment.createdAt.unixMilliseconds), .int8(enrolment.expiry?.unixMilliseconds),
            .bytes(enrolment.usedBy?.bytes), .bytes(enrolment.replaces?.bytes))
    }

    /// Removes an unused permission. False if there is none. An unused readmission becomes the used permission of its device.
    func remove(_ permit: Enrolment.Permit, of app: AppID) throws(PostgresError) -> Bool {
        let restored = try query(
            "UPDATE enrolments SET used_by = replaces, replaces = NULL, expiry = NULL" + Self.isPermit
                + " AND used_by IS NULL AND replaces IS NOT NULL", permit, app)
        guard restored.affected == 0 else { return true }
        return try query("DELETE FROM enrolments" + Self.isPermit + " AND used_by IS NULL", permit, app).affected == 1
    }

    /// - Parameter isLocked: whether no other transaction may change it before this one ends.
    func enrolment(
        _ permit: Enrolment.Permit, of app: AppID, isLocked: Bool = false
    ) throws(PostgresError) -> Enrolment? {
        try query(Self.selection + Self.isPermit + (isLocked ? " FOR UPDATE" : ""), permit, app).first(Self.enrolment)
    }

    func use(_ permit: Enrolment.Permit, of app: AppID, by device: DeviceID) throws(PostgresError) {
        _ = try database.query(
            "UPDATE enrolments SET used_by = $4" + Self.isPermit, .bytes(permit.bytes), .int8(Int64(permit.kind)),
            .text(app.text),
            .bytes(device.bytes))
    }

    private func query(
        _ sql: String, _ permit: Enrolment.Permit, _ app: AppID
    ) throws(PostgresError) -> PostgresRows {
        try database.query(sql, .bytes(permit.bytes), .int8(Int64(permit.kind)), .text(app.text))
    }

    static func enrolment(_ row: PostgresRow) throws(PostgresError) -> Enrolment {
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
    /// The records of one query.
    private static let chunk = 1000

    static func page(_ listing: EnrolmentListing, _ database: Database) throws(PostgresError) -> EnrolmentPage {
        var enrolments: [Enrolment] = []
        var looked = 0
        var hasMore = false
        var last = listing.position
        // Without a condition one record more than the page shows that another page follows.
        let limit = listing.isUsed == nil ? min(chunk, max(0, listing.limit) + 1) : chunk
        while !hasMore, looked < lookLimit {
            let rows = try database.query(
                EnrolmentTable.selection + " WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3", .text(listing.app.text),
                .int8(last), .int8(Int64(limit)))
            try rows.forEach { row throws(PostgresError) in
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
            guard rows.count >= limit else { break }
        }
        return EnrolmentPage(enrolments: enrolments, next: hasMore || looked >= lookLimit ? last : nil)
    }
}
