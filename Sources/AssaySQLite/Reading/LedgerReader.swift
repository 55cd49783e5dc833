import AssayCore
import AssayLedger

/// A reading connection with its prepared statements. It sees committed transactions only, and the writer never blocks it.
///
/// Unchecked: `ReaderPool` gives it to one call at a time.
final class LedgerReader: @unchecked Sendable {
    private let connection: SQLiteConnection
    private let byKey: SQLiteStatement
    private let byID: SQLiteStatement
    private let use: SQLiteStatement
    private let kept: SQLiteStatement
    private let blockedSubject: SQLiteStatement
    private let certificateByName: SQLiteStatement
    private let certificateByKey: SQLiteStatement
    private let submitted: SQLiteStatement
    private let status: SQLiteStatement
    let enrolments: EnrolmentTable
    let fleet: FleetTable

    init(path: String, options: LedgerOptions) throws(SQLiteError) {
        // Reads work while the disk cannot be written.
        connection = try SQLiteConnection.ledger(at: path, options, mustWrite: false)
        try connection.execute("PRAGMA query_only=ON")
        // SQLite removes the log by its name when the last connection closes. Only the writer knows whether the name is still that of
        // its log.
        try connection.keepLogWhenClosed()
        byKey = try SQLiteStatement(connection, DeviceRow.selection + " WHERE key_id = ?1 AND devices.app = ?2")
        byID = try SQLiteStatement(connection, DeviceRow.selection + " WHERE id = ?1")
        // SQLite uses the partial index only if the query repeats its condition.
        use = try SQLiteStatement(
            connection,
            """
            SELECT count(*) FROM (SELECT 1 FROM devices
                WHERE attestation_key = ?1 AND attestation_key <> x'' AND registered_at > ?2 LIMIT ?3)
            """)
        kept = try SQLiteStatement(connection, IdempotencyTable.selection)
        blockedSubject = try SQLiteStatement(connection, BlockTable.containment)
        certificateByName = try SQLiteStatement(connection, CertificateRow.selection + CertificateRow.hasName)
        certificateByKey = try SQLiteStatement(connection, CertificateRow.selection + CertificateRow.hasKey)
        submitted = try SQLiteStatement(connection, SubmissionTable.counting)
        (enrolments, fleet) = (EnrolmentTable(connection: connection), FleetTable(connection: connection))
        status = try SQLiteStatement(
            connection,
            """
            SELECT (SELECT value FROM meta WHERE name = 'spent_horizon'), (SELECT value FROM meta WHERE name = 'devices'),
                audit_start.number, audit_start.head, last.number, last.head
            FROM audit_start LEFT JOIN (SELECT number, head FROM audit ORDER BY number DESC LIMIT 1) AS last ON true
            """)
    }

    func device(_ key: DeviceKey) throws(SQLiteError) -> Device? {
        byKey.bind(1, key.keyID)
        byKey.bind(2, key.app.text)
        return try byKey.first(DeviceRow.device)
    }

    func device(_ id: DeviceID) throws(SQLiteError) -> Device? {
        byID.bind(1, id.bytes)
        return try byID.first(DeviceRow.device)
    }

    func use(ofAttestationKey key: [UInt8], at now: Timestamp) throws(SQLiteError) -> AttestationKeyUse {
        use.bind(1, key)
        use.bind(2, now.adding(milliseconds: -86_400_000).unixMilliseconds)
        use.bind(3, Int64(AttestationKeyUse.limit))
        return try use.first { AttestationKeyUse(lastDay: Int($0.int64(0))) } ?? AttestationKeyUse(lastDay: 0)
    }

    func verdict(_ key: [UInt8], now: Timestamp) throws(SQLiteError) -> StoredVerdict? {
        kept.bind(1, key)
        kept.bind(2, now.unixMilliseconds)
        guard let row = try kept.first(IdempotencyTable.row) else { return nil }
        return StoredVerdict(request: row.request, verdict: row.verdict, objection: row.objection)
    }

    /// The row numbers of the stored verdicts about a device.
    func verdicts(about device: DeviceID) throws(SQLiteError) -> [Int64] {
        try IdempotencyTable.numbers(about: device, connection)
    }

    func devices(_ listing: DeviceListing) throws(SQLiteError) -> DevicePage { try DeviceScan.page(listing, connection) }

    func blocks(_ listing: BlockListing) throws(SQLiteError) -> BlockPage { try BlockScan.page(listing, connection) }

    func isBlocked(subject: [UInt8], of app: AppID) throws(SQLiteError) -> Bool {
        blockedSubject.bind(1, app.text)
        blockedSubject.bind(2, Int64(BlockKind.subject.rawValue))
        blockedSubject.bind(3, subject)
        return try blockedSubject.exists()
    }

    func certificate(_ name: CertificateName) throws(SQLiteError) -> DeviceCertificate? {
        certificateByName.bind(1, name.issuer)
        certificateByName.bind(2, name.serial)
        return try certificateByName.first(CertificateRow.certificate)
    }

    func certificate(ofKey keyID: [UInt8], app: AppID) throws(SQLiteError) -> DeviceCertificate? {
        certificateByKey.bind(1, keyID)
        certificateByKey.bind(2, app.text)
        return try certificateByKey.first(CertificateRow.certificate)
    }

    func submissions(of device: DeviceID, at now: Timestamp) throws(SQLiteError) -> SubmissionCount {
        try SubmissionTable.count(of: device, in: SubmissionHours.counted(at: now), submitted)
    }

    /// Rare, so the statement is not kept.
    func certificates(serial: [UInt8], app: AppID) throws(SQLiteError) -> [DeviceCertificate] {
        let select = try SQLiteStatement(connection, CertificateRow.selection + CertificateRow.hasSerial)
        select.bind(1, serial)
        select.bind(2, app.text)
        return try select.all(CertificateRow.certificate)
    }

    func certificates(_ listing: CertificateListing) throws(SQLiteError) -> CertificatePage {
        try CertificateScan.page(listing, connection)
    }

    /// The number of devices differs, so the statement is not kept.
    func certificateCounts(
        of devices: [DeviceID], at time: Timestamp
    ) throws(SQLiteError) -> [DeviceID: CertificateCounts] {
        guard !devices.isEmpty else { return [:] }
        let select = try SQLiteStatement(connection, CertificateTable.counting(devices.count))
        select.bind(1, time.unixMilliseconds)
        for (index, device) in devices.enumerated() { select.bind(Int32(index + 2), device.bytes) }
        var counts: [DeviceID: CertificateCounts] = [:]
        try select.forEach { row throws(SQLiteError) in
            guard let device = DeviceID(bytes: row.bytes(0)) else {
                throw .damaged("the record of a certificate does not decode")
            }
            counts[device] = CertificateCounts(
                good: Int(row.int64(1)), revoked: Int(row.int64(2)), expired: Int(row.int64(3)))
            return true
        }
        return counts
    }

    func enrolments(_ listing: EnrolmentListing) throws(SQLiteError) -> EnrolmentPage {
        try EnrolmentScan.page(listing, connection)
    }

    var revocations: RevocationTable { RevocationTable(connection: connection) }
    var callerKeys: CallerKeyTable { CallerKeyTable(connection) }
    var resultKeys: ResultKeyTable { ResultKeyTable(connection: connection) }
    var statuses: StatusScan { StatusScan(connection: connection) }
    var uploads: UploadScan { UploadScan(connection: connection) }
    var policies: PolicyTable { PolicyTable(connection: connection) }

    func verdicts(onPayload key: [UInt8], at now: Timestamp, limit: Int) throws(SQLiteError) -> [IndexedVerdict] {
        try PayloadTable.verdicts(onPayload: key, at: now, limit: limit, connection)
    }

    func receipts(in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int) throws(SQLiteError) -> DueReceipts {
        try ReceiptScan.due(queue, at: now, limit: limit, connection)
    }

    func audit(from number: Int64, limit: Int) throws(SQLiteError) -> AuditPage {
        try AuditScan(connection: connection).page(from: number, limit: limit)
    }

    func auditClaims(of number: Int64) throws(SQLiteError) -> AuditClaims? {
        try AuditScan(connection: connection).claims(of: number)
    }

    func spentCounts() throws(SQLiteError) -> SpentCounts { try SpentCounts(connection) }

    func areSpent(_ tokens: [[UInt8]]) throws(SQLiteError) -> [Bool] {
        try connection.execute("BEGIN")
        defer { try? connection.execute("ROLLBACK") }
        let lookup = try SpentLookup(connection)
        var spent: [Bool] = []
        for token in tokens { spent.append(try lookup.contains(token)) }
        return spent
    }

    func clockMemory() throws(SQLiteError) -> ClockMemory? { try MetaTable(connection).clockMemory() }

    func isDeclaredNew() throws(SQLiteError) -> Bool { try MetaTable(connection).isDeclaredNew() }

    func secrets() throws(SQLiteError) -> [WrappedSecret] { try SecretTable(connection).all() }

    /// - Parameter last: what an earlier call found; it becomes what this one finds.
    func ledgerStatus(_ last: inout LastVerdict) throws(SQLiteError) -> LedgerStatus {
        let found = try status.first { row in
            LedgerStatus(
                spentHorizon: Timestamp(unixMilliseconds: row.int64(0)), devices: row.int64(1),
                auditCount: row.int64(row.isNull(4) ? 2 : 4), auditHead: row.bytes(row.isNull(4) ? 3 : 5),
                auditDropped: row.int64(2), auditStartHead: row.bytes(3),
                lastEntryAt: nil)
        }
        guard var found else { throw .damaged("no status") }
        try last.follow(connection, from: found.auditDropped, to: found.auditCount)
        found.lastEntryAt = last.time
        return found
    }
}
