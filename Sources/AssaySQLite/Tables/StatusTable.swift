import AssayCore

/// The places of devices in status lists, what is known of lists, and the devices of which a judgement failed.
final class StatusTable {
    /// The most places of one purge, so that commits run between purges.
    static let purgeLimit = 1000

    private let connection: SQLiteConnection
    private let find: SQLiteStatement
    private let give: SQLiteStatement
    private let keep: SQLiteStatement
    private let valid: SQLiteStatement
    private let noteDevice: SQLiteStatement
    private let hasPlace: SQLiteStatement
    private let noteIssue: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        find = try SQLiteStatement(connection, Self.finding)
        give = try SQLiteStatement(
            connection, "INSERT INTO status_places (device, audience, kept_until) VALUES (?1, ?2, ?3)")
        keep = try SQLiteStatement(connection, "UPDATE status_places SET kept_until = ?2 WHERE number = ?1")
        valid = try SQLiteStatement(connection, Self.validity)
        noteDevice = try SQLiteStatement(
            connection, Self.noting("SELECT DISTINCT \(Self.list) FROM status_places WHERE device = ?1"))
        hasPlace = try SQLiteStatement(connection, Self.places)
        noteIssue = try SQLiteStatement(
            connection,
            Self.noting(
                """
                SELECT DISTINCT \(Self.list) FROM status_places WHERE device = ?1
                    AND EXISTS (SELECT 1 FROM certificates WHERE device = ?1 AND revoked_at IS NOT NULL)
                """))
    }

    /// The list of a place by its number.
    private static let list = "(number - 1) >> \(ResultStatusPlace.listBits)"

    /// ?1 the device.
    static let places = "SELECT 1 FROM status_places WHERE device = ?1"

    /// ?1 the device, ?2 the audience.
    static let finding = "SELECT number, kept_until FROM status_places WHERE device = ?1 AND audience = ?2"

    /// A row if a device is registered, and its places are valid. ?1 the device.
    static let validity = """
        SELECT 1 FROM counters c WHERE c.device = ?1 AND c.blocked = 0
            AND NOT EXISTS (SELECT 1 FROM invalid_devices i WHERE i.device = ?1) AND NOT \(isRevoked("?1"))
        """

    /// Whether the certificate that was issued to a device last is revoked.
    private static func isRevoked(_ device: String) -> String {
        """
        coalesce((SELECT x.revoked_at IS NOT NULL FROM certificates x WHERE x.device = \(device) ORDER BY x.number DESC LIMIT 1), 0)
        """
    }

    /// Places, each with what is known of its device.
    private static func places(_ columns: String, _ condition: String) -> String {
        """
        SELECT \(columns) FROM status_places p LEFT JOIN counters c ON c.device = p.device
            LEFT JOIN invalid_devices i ON i.device = p.device WHERE \(condition)
        """
    }

    private static let isInvalid = "(c.device IS NULL OR i.device IS NOT NULL OR \(isRevoked("p.device")))"
    private static let isNotValid = "(c.device IS NULL OR i.device IS NOT NULL OR c.blocked <> 0 OR \(isRevoked("p.device")))"

    /// The places that are not valid. ?1 the first number, ?2 the last.
    static let listing = places(
        "p.number, \(isInvalid)", "p.number BETWEEN ?1 AND ?2 AND \(isNotValid) ORDER BY p.number")

    /// The places that are not kept any more. ?1 the time.
    static let ending = places(
        "p.number, \(isNotValid)", "p.kept_until < ?1 ORDER BY p.kept_until LIMIT \(purgeLimit)")

    /// The numbers of the lists that have places, each found by one look into the primary key.
    private static let used = """
        WITH RECURSIVE used (list) AS (
            SELECT (SELECT \(list) FROM status_places ORDER BY number LIMIT 1)
            UNION ALL SELECT (SELECT \(list) FROM status_places
                WHERE number > (used.list + 1) << \(ResultStatusPlace.listBits) ORDER BY number LIMIT 1)
            FROM used WHERE used.list IS NOT NULL)
        SELECT list FROM used WHERE list IS NOT NULL
        """

    static let lists = """
        SELECT used.list, coalesce(revision, 0) FROM (\(used)) AS used LEFT JOIN status_lists USING (list) ORDER BY used.list
        """

    /// Milliseconds since 1970.
    private static let now = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"

    /// Notes that what some lists say may have changed. A revision is above the one before, and not below the clock: after the ledger went back,
    /// the next one is none of those that were lost.
    private static func noting(_ lists: String) -> String {
        """
        INSERT INTO status_lists (list, revision) SELECT *, \(now) FROM (\(lists)) WHERE true
        ON CONFLICT (list) DO UPDATE SET revision = max(revision + 1, excluded.revision)
        """
    }

    // MARK: Places

    /// The place for a request; given out if there is none.
    func place(_ request: ResultStatusRequest) throws(SQLiteError) -> ResultStatusPlace {
        if let known = try Self.number(of: request, find) {
            if known.keptUntil < request.until {
                keep.bind(1, known.number)
                keep.bind(2, request.until.unixMilliseconds)
                try keep.run()
            }
            return ResultStatusPlace(number: known.number)
        }
        give.bind(1, request.device.bytes)
        give.bind(2, request.audience)
        give.bind(3, request.until.unixMilliseconds)
        try give.run()
        let place = ResultStatusPlace(number: connection.lastInsertedRow)
        valid.bind(1, request.device.bytes)
        if try !valid.exists() { try note(list: place.list) }
        return place
    }

    static func number(
        of request: ResultStatusRequest, _ find: SQLiteStatement
    ) throws(SQLiteError) -> (number: Int64, keptUntil: Timestamp)? {
        find.bind(1, request.device.bytes)
        find.bind(2, request.audience)
        return try find.first { ($0.int64(0), Timestamp(unixMilliseconds: $0.int64(1))) }
    }

    // MARK: What lists say

    /// What the places of a device say may have changed.
    func note(_ device: DeviceID) throws(SQLiteError) {
        noteDevice.bind(1, device.bytes)
        try noteDevice.run()
    }

    /// A certificate is its device's last one now, so that what the places of a device with a revoked one say may have changed.
    func noteIssue(to device: DeviceID) throws(SQLiteError) {
        // Most devices have no place, and noting makes a temporary table for the lists.
        hasPlace.bind(1, device.bytes)
        guard try hasPlace.exists() else { return }
        noteIssue.bind(1, device.bytes)
        try noteIssue.run()
    }

    private func note(list: UInt32) throws(SQLiteError) {
        let note = try SQLiteStatement(connection, Self.noting("SELECT ?1"))
        note.bind(1, Int64(list))
        try note.run()
    }

    /// Of how many of the devices it was otherwise before.
    func setInvalid(_ judgements: [DeviceID: Bool]) throws(SQLiteError) -> Int {
        var changed = 0
        for (device, isInvalid) in judgements where try setInvalid(isInvalid, device) { changed += 1 }
        return changed
    }

    /// False, and no change, if it was so before, or if the device is not registered.
    private func setInvalid(_ isInvalid: Bool, _ device: DeviceID) throws(SQLiteError) -> Bool {
        let change = try SQLiteStatement(
            connection,
            isInvalid
                ? "INSERT INTO invalid_devices SELECT device FROM counters WHERE device = ?1 ON CONFLICT DO NOTHING"
                : "DELETE FROM invalid_devices WHERE device = ?1")
        change.bind(1, device.bytes)
        try change.run()
        guard connection.changes == 1 else { return false }
        try note(device)
        return true
    }

    /// Follows the removal of a device: its places stay.
    func remove(_ device: DeviceID) throws(SQLiteError) {
        if try !setInvalid(false, device) { try note(device) }
    }

    /// Begins a list that no lost place is in, and notes that what lists say may have changed.
    func skipLostPlaces() throws(SQLiteError) {
        let (bits, skipped) = (ResultStatusPlace.listBits, Self.listsOfLostPlaces)
        try connection.execute(
            """
            INSERT INTO sqlite_sequence SELECT 'status_places', 0
                WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'status_places');
            UPDATE sqlite_sequence SET seq = ((seq >> \(bits)) + \(skipped)) << \(bits) WHERE name = 'status_places';
            \(Self.noting(Self.used));
            """)
    }

    /// A ledger that went back does not know which places it gave out since. So many lists on, none was: eight million places.
    private static let listsOfLostPlaces = 64

    // MARK: Purging

    /// Removes at most `purgeLimit` places that were kept until before `now`. True if there may be more.
    func purge(now: Timestamp) throws(SQLiteError) -> Bool {
        let select = try SQLiteStatement(connection, Self.ending)
        select.bind(1, now.unixMilliseconds)
        let ended = try select.all { (number: $0.int64(0), isNotValid: $0.int64(1) != 0) }
        guard !ended.isEmpty else { return false }
        let delete = try SQLiteStatement(connection, "DELETE FROM status_places WHERE number = ?1")
        for place in ended {
            delete.bind(1, place.number)
            try delete.run()
        }
        for list in Set(ended.filter(\.isNotValid).map { ResultStatusPlace(number: $0.number).list }) { try note(list: list) }
        return ended.count >= Self.purgeLimit
    }
}

/// What a reader reads of status lists.
struct StatusScan {
    let connection: SQLiteConnection

    /// The place for each request that is kept long enough already.
    func places(_ requests: [ResultStatusRequest]) throws(SQLiteError) -> [ResultStatusPlace?] {
        let find = try SQLiteStatement(connection, StatusTable.finding)
        var places: [ResultStatusPlace?] = []
        places.reserveCapacity(requests.count)
        for request in requests {
            let known = try StatusTable.number(of: request, find)
            places.append(known.flatMap { $0.keptUntil >= request.until ? ResultStatusPlace(number: $0.number) : nil })
        }
        return places
    }

    func lists() throws(SQLiteError) -> [ResultStatusList] {
        try SQLiteStatement(connection, StatusTable.lists).all { row throws(SQLiteError) in
            guard let list = UInt32(exactly: row.int64(0)) else { throw .damaged("the number of a status list is none") }
            return ResultStatusList(list, revision: row.int64(1))
        }
    }

    /// What the places with these numbers say, without those that are valid.
    func entries(_ numbers: ClosedRange<Int64>) throws(SQLiteError) -> [ResultStatusEntry] {
        let select = try SQLiteStatement(connection, StatusTable.listing)
        select.bind(1, numbers.lowerBound)
        select.bind(2, numbers.upperBound)
        return try select.all {
            ResultStatusEntry(
                position: ResultStatusPlace(number: $0.int64(0)).position, status: $0.int64(1) != 0 ? .invalid : .suspended)
        }
    }

    /// Of those of some devices that are registered: whether `setInvalid` named them.
    func invalid(_ devices: some Sequence<DeviceID>) throws(SQLiteError) -> [DeviceID: Bool] {
        let select = try SQLiteStatement(
            connection,
            "SELECT EXISTS (SELECT 1 FROM invalid_devices WHERE device = ?1) FROM counters WHERE device = ?1")
        var found: [DeviceID: Bool] = [:]
        for device in devices {
            select.bind(1, device.bytes)
            found[device] = try select.first { $0.int64(0) != 0 }
        }
        return found
    }
}
