import AssayCore

/// Whose place in a status list it is.
struct StatusName: Hashable {
    let device: DeviceID
    let audience: [UInt8]

    init(_ request: ResultStatusRequest) { (device, audience) = (request.device, request.audience) }

    /// The name in the first two columns.
    init(_ row: PostgresRow) throws(PostgresError) {
        guard let device = DeviceID(bytes: row.bytes(0)) else { throw .damaged("a place in a status list is of no device") }
        (self.device, audience) = (device, row.bytes(1))
    }

    static func isBefore(_ a: StatusName, _ b: StatusName) -> Bool {
        a.device == b.device
            ? a.audience.lexicographicallyPrecedes(b.audience) : a.device.bytes.lexicographicallyPrecedes(b.device.bytes)
    }
}

/// The places of devices in status lists, what is known of lists, and the devices of which a judgement failed.
///
/// A transaction that gives a place out, or that changes what a place says, holds the hot row of the device. So either it finds the
/// place, or the one that gives it out finds the change. Rows of lists are locked last, in their order.
struct StatusTable {
    let database: Database

    /// The most places of one purge, so that commits run between purges. In the statement, so that the server plans for so many.
    private static let purgeLimit = 1000

    /// The list of a place by its number.
    private static let list = "(p.number - 1) >> \(ResultStatusPlace.listBits)"

    /// What the joined rows `c` of counters and `i` of invalid devices say of a place.
    private static let isInvalid = "(c.device IS NULL OR i.device IS NOT NULL OR \(isRevoked("c.device")))"
    private static let isNotValid = "(c.device IS NULL OR i.device IS NOT NULL OR c.blocked <> 0 OR \(isRevoked("c.device")))"

    /// Whether the certificate that was issued to a device last is revoked.
    private static func isRevoked(_ device: String) -> String {
        """
        coalesce((SELECT x.revoked_at IS NOT NULL FROM certificates x WHERE x.device = \(device) ORDER BY x.number DESC LIMIT 1), false)
        """
    }

    // MARK: Places

    /// The places that are there: the number of each, and until when it is kept.
    static func places(_ requests: [ResultStatusRequest]) -> Lookup<[StatusName: (place: ResultStatusPlace, until: Timestamp)]>
    {
        let statement = SQLStatement(
            """
            SELECT p.device, p.audience, p.number, p.kept_until FROM unnest($1::bytea[], $2::bytea[]) AS e(d, a)
                JOIN status_places p ON p.device = e.d AND p.audience = e.a
            """, .bytesList(requests.map(\.device.bytes)), .bytesList(requests.map(\.audience)))
        return Lookup(statement) { rows throws(PostgresError) in
            var places: [StatusName: (place: ResultStatusPlace, until: Timestamp)] = [:]
            try rows.forEach { row throws(PostgresError) in
                places[try StatusName(row)] = (
                    ResultStatusPlace(number: row.int64(2)), Timestamp(unixMilliseconds: row.int64(3))
                )
                return true
            }
            return places
        }
    }

    /// The statements that keep the places that are there, and then give out the others. Both return device, audience and number.
    ///
    /// - Parameter wanted: in the order of the names, each once, so that two transactions do not wait for each other.
    static func giving(_ wanted: [(name: StatusName, until: Timestamp)]) -> [SQLStatement] {
        let parameters: [SQLValue] = [
            .bytesList(wanted.map(\.name.device.bytes)), .bytesList(wanted.map(\.name.audience)),
            .int8s(wanted.map(\.until.unixMilliseconds)),
        ]
        return [
            SQLStatement(
                """
                UPDATE status_places p SET kept_until = greatest(p.kept_until, e.u)
                FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS e(d, a, u) WHERE p.device = e.d AND p.audience = e.a
                RETURNING p.device, p.audience, p.number
                """, parameters),
            // A place that another transaction gives out meanwhile is found by the constraint.
            SQLStatement(
                """
                INSERT INTO status_places AS p (device, audience, kept_until)
                SELECT e.d, e.a, e.u FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS e(d, a, u)
                WHERE NOT EXISTS (SELECT 1 FROM status_places k WHERE k.device = e.d AND k.audience = e.a)
                ON CONFLICT (device, audience) DO UPDATE SET kept_until = greatest(p.kept_until, excluded.kept_until)
                RETURNING device, audience, number
                """, parameters),
        ]
    }

    // MARK: What lists say

    /// Notes that what these lists say may have changed.
    static func noting(_ lists: Set<UInt32>) -> SQLStatement {
        SQLStatement(noting("SELECT e.l FROM unnest($1::bigint[]) AS e(l)"), .int8s(lists.sorted().map { Int64($0) }))
    }

    /// Notes that what the places of these devices say may have changed.
    static func noting(_ devices: Set<DeviceID>) -> SQLStatement {
        SQLStatement(noting(places(of: "= ANY ($1::bytea[])")), .bytesList(devices.map(\.bytes)))
    }

    /// Certificates are the last ones of these devices now, so that what the places of a device with a revoked one say may have changed.
    static func notingIssues(to devices: Set<DeviceID>) -> SQLStatement {
        let hasRevoked = "EXISTS (SELECT 1 FROM certificates x WHERE x.device = p.device AND x.revoked_at IS NOT NULL)"
        return SQLStatement(
            noting(places(of: "= ANY ($1::bytea[]) AND \(hasRevoked)")), .bytesList(devices.map(\.bytes)))
    }

    /// Notes that what the places of all devices of a target, and of some others, say may have changed. One statement, as it locks the rows of
    /// lists in their order.
    static func noting(_ target: BlockTarget, and others: Set<DeviceID> = []) -> SQLStatement {
        let some = SQLValue.bytesList(others.map(\.bytes))
        func noting(_ condition: String, others place: String) -> String {
            Self.noting("\(places(of: condition)) UNION \(places(of: "= ANY (\(place)::bytea[])"))")
        }
        return switch target {
        case .device(let id): SQLStatement(noting("= $1", others: "$2"), .bytes(id.bytes), some)
        case .subject(let hash, let app):
            SQLStatement(
                noting("IN (SELECT id FROM devices WHERE subject = $1 AND app = $2)", others: "$3"), .bytes(hash),
                .text(app.text), some)
        case .key(let key):
            SQLStatement(
                noting("IN (SELECT device FROM device_keys WHERE key_id = $1 AND app = $2)", others: "$3"), .bytes(key.keyID),
                .text(key.app.text), some)
        }
    }

    /// The lists of the places of devices, by a condition of theirs.
    private static func places(of devices: String) -> String {
        "SELECT DISTINCT \(list) FROM status_places p WHERE p.device \(devices)"
    }

    /// A revision is above the one before, and not below the server's clock: after the ledger went back, the next one is none of those that
    /// were lost.
    private static func noting(_ lists: String) -> String {
        """
        INSERT INTO status_lists AS l (list, revision) SELECT n.list, \(WriterLease.now) FROM (\(lists)) AS n(list) ORDER BY n.list
        ON CONFLICT (list) DO UPDATE SET revision = greatest(l.revision + 1, excluded.revision)
        """
    }

    /// The numbers of the lists that have places, each found by one look into the primary key.
    private static let used = """
        WITH RECURSIVE used (list) AS (
            SELECT (SELECT \(list) FROM status_places p ORDER BY p.number LIMIT 1)
            UNION ALL SELECT (SELECT \(list) FROM status_places p
                WHERE p.number > (u.list + 1) << \(ResultStatusPlace.listBits) ORDER BY p.number LIMIT 1)
            FROM used u WHERE u.list IS NOT NULL)
        SELECT list FROM used WHERE list IS NOT NULL
        """

    func lists() throws(PostgresError) -> [ResultStatusList] {
        let found = try database.query(
            """
            SELECT u.list, coalesce(l.revision, 0) FROM (\(Self.used)) AS u LEFT JOIN status_lists l ON l.list = u.list
            ORDER BY u.list
            """)
        return try found.all { row throws(PostgresError) in
            guard let list = UInt32(exactly: row.int64(0)) else { throw .damaged("the number of a status list is none") }
            return ResultStatusList(list, revision: row.int64(1))
        }
    }

    /// What the places with these numbers say, without those that are valid.
    static func entries(_ numbers: ClosedRange<Int64>) -> Lookup<[ResultStatusEntry]> {
        let statement = SQLStatement(
            """
            SELECT p.number, \(isInvalid) FROM status_places p LEFT JOIN counters c ON c.device = p.device
                LEFT JOIN invalid_devices i ON i.device = p.device
            WHERE p.number BETWEEN $1 AND $2 AND \(isNotValid) ORDER BY p.number
            """, .int8(numbers.lowerBound), .int8(numbers.upperBound))
        return Lookup(statement) { rows throws(PostgresError) in
            try rows.all {
                ResultStatusEntry(
                    position: ResultStatusPlace(number: $0.int64(0)).position, status: $0.bool(1) ? .invalid : .suspended)
            }
        }
    }

    // MARK: Invalid devices

    /// Those of some devices whose places are invalid although they are registered.
    static func invalid(_ devices: Set<DeviceID>) -> SQLStatement {
        SQLStatement(
            """
            SELECT e.d FROM unnest($1::bytea[]) AS e(d)
            WHERE EXISTS (SELECT 1 FROM invalid_devices i WHERE i.device = e.d) OR \(isRevoked("e.d"))
            """, .bytesList(devices.map(\.bytes)))
    }

    /// Of those of some devices that are registered: whether `setInvalid` named them.
    static func named(_ devices: some Collection<DeviceID>) -> Lookup<[DeviceID: Bool]> {
        let statement = SQLStatement(
            """
            SELECT c.device, i.device IS NOT NULL FROM counters c LEFT JOIN invalid_devices i ON i.device = c.device
            WHERE c.device = ANY ($1::bytea[])
            """, .bytesList(devices.map(\.bytes)))
        return Lookup(statement) { rows throws(PostgresError) in
            var named: [DeviceID: Bool] = [:]
            try rows.forEach { row throws(PostgresError) in
                named[try Self.device(row)] = row.bool(1)
                return true
            }
            return named
        }
    }

    /// Names registered devices, whose hot rows are locked, or takes that back. Returns those of which it was otherwise before.
    func setInvalid(_ judgements: [DeviceID: Bool]) throws(PostgresError) -> Set<DeviceID> {
        func some(_ isInvalid: Bool) -> SQLValue { .bytesList(judgements.filter { $0.value == isInvalid }.map(\.key.bytes)) }
        let answers = try database.run([
            SQLStatement(
                """
                INSERT INTO invalid_devices SELECT e.d FROM unnest($1::bytea[]) AS e(d)
                WHERE EXISTS (SELECT 1 FROM counters c WHERE c.device = e.d) ORDER BY e.d ON CONFLICT DO NOTHING RETURNING device
                """, some(true)),
            SQLStatement("DELETE FROM invalid_devices WHERE device = ANY ($1::bytea[]) RETURNING device", some(false)),
        ])
        var changed: Set<DeviceID> = []
        for rows in answers { changed.formUnion(try rows.all(Self.device)) }
        return changed
    }

    private static func device(_ row: PostgresRow) throws(PostgresError) -> DeviceID {
        guard let device = DeviceID(bytes: row.bytes(0)) else { throw .damaged("an invalid device has no id") }
        return device
    }

    static func removal(_ device: DeviceID) -> SQLStatement {
        SQLStatement("DELETE FROM invalid_devices WHERE device = $1", .bytes(device.bytes))
    }

    // MARK: Places that were lost

    /// A ledger that went back does not know which places it gave out since. So many lists on, none was: eight million places.
    private static let listsOfLostPlaces = 64

    /// Begins a list that no lost place is in, and notes that what lists say may have changed.
    func skipLostPlaces() throws(PostgresError) {
        let (numbers, bits) = ("pg_get_serial_sequence('status_places', 'number')", ResultStatusPlace.listBits)
        _ = try database.run([
            SQLStatement(
                """
                SELECT setval(\(numbers), ((n.next >> \(bits)) + \(Self.listsOfLostPlaces)) << \(bits))
                FROM (SELECT nextval(\(numbers)) AS next) AS n
                """),
            SQLStatement(Self.noting(Self.used)),
        ])
    }

    // MARK: Purging

    /// Removes places that were kept until before `now`, a bounded number. True if there may be more.
    func purge(now: Timestamp) throws(PostgresError) -> Bool {
        let ended = try database.query(
            """
            WITH ended AS (
                DELETE FROM status_places WHERE number = ANY (ARRAY(
                    SELECT number FROM status_places WHERE kept_until < $1 ORDER BY kept_until LIMIT \(Self.purgeLimit)
                    FOR UPDATE SKIP LOCKED))
                RETURNING number, device)
            SELECT e.number, \(Self.isNotValid) FROM ended e LEFT JOIN counters c ON c.device = e.device
                LEFT JOIN invalid_devices i ON i.device = e.device
            """, .int8(now.unixMilliseconds)
        ).all { (number: $0.int64(0), isNotValid: $0.bool(1)) }
        let changed = Set(ended.filter(\.isNotValid).map { ResultStatusPlace(number: $0.number).list })
        if !changed.isEmpty { _ = try database.run([Self.noting(changed)]) }
        return ended.count >= Self.purgeLimit
    }
}
