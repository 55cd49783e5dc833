import AssayCore

/// The changes of the accepted entries of a group: the second trip.
struct GroupChanges {
    struct SubmissionHour: Hashable {
        let device: DeviceID
        let hour: Int64
    }

    var accepted: [LedgerEntry] = []
    /// Devices whose hot row is written.
    var touched: Set<DeviceID> = []
    var registered: [Device] = []
    var certificates: [DeviceCertificate] = []
    var submissions: [SubmissionHour: Int64] = [:]
    /// The last entry that stores a verdict under each key.
    var verdicts: [[UInt8]: LedgerEntry] = [:]

    /// Statements in the order of locks. Those of kinds that the group lacks are left out.
    ///
    /// - Parameter facts: the state after the last entry.
    func trip(_ facts: GroupFacts, _ keys: GroupKeys) -> [SQLStatement] {
        tokens(facts) + claims(facts) + devices(facts) + certificateStatements + verdictStatements
            + payloadStatements + registered.flatMap { Self.blocks(of: $0) } + leftovers(keys) + statusStatements
    }

    /// Gives back what only refused entries brought.
    private func tokens(_ facts: GroupFacts) -> [SQLStatement] {
        var statements: [SQLStatement] = []
        if !facts.challenges.isEmpty {
            let some = Array(facts.challenges)
            statements.append(
                SQLStatement(
                    """
                    DELETE FROM spent s USING unnest($1::bigint[], $2::bytea[]) AS e(x, t) WHERE s.expiry = e.x AND s.token = e.t
                    """, .int8s(some.map(\.expiry)), .bytesList(some.map(\.token))))
        }
        if !facts.uses.isEmpty {
            statements.append(SQLStatement("DELETE FROM used WHERE token = ANY ($1::bytea[])", .bytesList(Array(facts.uses))))
        }
        return statements
    }

    private func claims(_ facts: GroupFacts) -> [SQLStatement] {
        facts.claims.isEmpty
            ? [] : [SQLStatement("DELETE FROM idempotency WHERE key = ANY ($1::bytea[])", .bytesList(Array(facts.claims)))]
    }

    private func devices(_ facts: GroupFacts) -> [SQLStatement] {
        var statements: [SQLStatement] = []
        let new = Set(registered.map(\.id))
        let changed = touched.subtracting(new).compactMap { id in facts.counters[id].map { (id, $0) } }
        if !changed.isEmpty {
            statements.append(
                SQLStatement(
                    """
                    UPDATE counters c SET counter = e.n, "window" = e.w, last_accepted_at = greatest(c.last_accepted_at, e.t)
                    FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[]) AS e(d, n, w, t) WHERE c.device = e.d
                    """,
                    .bytesList(changed.map(\.0.bytes)), .int8s(changed.map { Int64($0.1.state.counter) }),
                    .int8s(changed.map { Int64(bitPattern: $0.1.state.window) }),
                    .int8s(changed.map(\.1.lastAcceptedAt.unixMilliseconds))))
        }
        guard !registered.isEmpty else { return statements }
        statements += registered.map(DeviceTable.insertion(of:))
        statements += Self.registration(of: registered.map { ($0, facts.counters[$0.id]) })
        let subjects = Set(
            registered.compactMap { device in
                device.subject.map { SubjectKey(subject: $0, app: device.app) }
            })
        if !subjects.isEmpty {
            let counted = subjects.compactMap { key in facts.subjects[key].map { (key, $0.devices) } }
            statements.append(
                SQLStatement(
                    """
                    UPDATE subjects s SET devices = e.n FROM unnest($1::bytea[], $2::text[], $3::bigint[]) AS e(s, a, n)
                    WHERE s.subject = e.s AND s.app = e.a
                    """,
                    .bytesList(counted.map(\.0.subject)), .texts(counted.map(\.0.app.text)), .int8s(counted.map(\.1))))
        }
        return statements
    }

    /// Adds the hot rows of devices, and gives them their keys.
    static func registration(of devices: [(device: Device, counter: GroupFacts.Counter?)]) -> [SQLStatement] {
        [
            SQLStatement(
                """
                INSERT INTO counters (device, counter, "window", blocked, last_accepted_at)
                SELECT e.d, e.n, e.w, 0, e.t FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[]) AS e(d, n, w, t)
                """,
                .bytesList(devices.map(\.device.id.bytes)),
                .int8s(devices.map { Int64($0.counter?.state.counter ?? $0.device.counter) }),
                .int8s(devices.map { Int64(bitPattern: $0.counter?.state.window ?? $0.device.counterWindow) }),
                .int8s(
                    devices.map { max($0.counter?.lastAcceptedAt ?? .distantPast, $0.device.lastAcceptedAt).unixMilliseconds })),
            SQLStatement(
                """
                UPDATE device_keys k SET device = e.d FROM unnest($1::bytea[], $2::text[], $3::bytea[]) AS e(k, a, d)
                WHERE k.key_id = e.k AND k.app = e.a
                """,
                .bytesList(devices.map(\.device.registration.keyID)), .texts(devices.map(\.device.app.text)),
                .bytesList(devices.map(\.device.id.bytes))),
        ]
    }

    /// Sets the blocks that a device is registered with. Rare.
    static func blocks(of device: Device) -> [SQLStatement] {
        device.blocks.flatMap { block in
            device.blockTarget(block.kind).map {
                BlockStatements.setting($0, of: device.app, reason: block.reason, since: block.since) + [StatusTable.noting($0)]
            } ?? []
        }
    }

    private var statusStatements: [SQLStatement] {
        certificates.isEmpty ? [] : [StatusTable.notingIssues(to: Set(certificates.map(\.device)))]
    }

    private var certificateStatements: [SQLStatement] {
        var statements = certificates.flatMap { CertificateTable.insertion(of: $0) }
        if !submissions.isEmpty {
            let some = submissions.sorted { a, b in
                a.key.device == b.key.device
                    ? a.key.hour < b.key.hour : a.key.device.bytes.lexicographicallyPrecedes(b.key.device.bytes)
            }
            statements.append(
                SQLStatement(
                    """
                    INSERT INTO submissions AS s (device, hour, count)
                    SELECT e.d, e.h, e.n FROM unnest($1::bytea[], $2::bigint[], $3::bigint[]) AS e(d, h, n)
                    ON CONFLICT (device, hour) DO UPDATE SET count = s.count + excluded.count
                    """,
                    .bytesList(some.map(\.key.device.bytes)), .int8s(some.map(\.key.hour)), .int8s(some.map(\.value))))
        }
        return statements
    }

    private var verdictStatements: [SQLStatement] {
        guard !verdicts.isEmpty else { return [] }
        let some = verdicts.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .compactMap { _, entry in entry.idempotency.map { ($0, entry.verdictCertificate) } }
        return [
            SQLStatement(
                """
                INSERT INTO idempotency (key, request, expiry, device, verdict, certificate)
                SELECT e.k, e.r, e.x, e.d, e.v,
                    (SELECT c.number FROM certificates c JOIN issuers i ON i.number = c.issuer WHERE i.issuer = e.ci AND c.serial = e.cs)
                FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[])
                    AS e(k, r, x, d, v, ci, cs)
                ON CONFLICT (key) DO UPDATE SET request = excluded.request, expiry = excluded.expiry, device = excluded.device,
                    verdict = excluded.verdict, certificate = excluded.certificate
                """,
                .bytesList(some.map(\.0.key)), .bytesList(some.map(\.0.request)), .int8s(some.map(\.0.expiry.unixMilliseconds)),
                .bytesList(some.map(\.0.device?.bytes)), .bytesList(some.map(\.0.verdict)), .bytesList(some.map(\.1?.issuer)),
                .bytesList(some.map(\.1?.serial)))
        ]
    }

    private var payloadStatements: [SQLStatement] {
        let lookups = accepted.flatMap(\.lookups)
        return lookups.isEmpty ? [] : [PayloadTable.insertion(of: lookups)]
    }

    private func leftovers(_ keys: GroupKeys) -> [SQLStatement] {
        var statements: [SQLStatement] = []
        if !keys.subjects.isEmpty { statements.append(Locks.cleanUp(keys.subjects)) }
        if !keys.keys.isEmpty { statements.append(Locks.cleanUp(keys.keys)) }
        return statements
    }
}

/// The statements that set a block, after its rows were locked.
enum BlockStatements {
    /// Stores the block and sets the flags by which commits decide: of the subject or key, and of its devices.
    static func setting(_ target: BlockTarget, of app: AppID, reason: String, since: Timestamp) -> [SQLStatement] {
        let position = target.position
        let store = SQLStatement(
            """
            INSERT INTO blocks VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (app, kind, target) DO UPDATE SET reason = excluded.reason, since = excluded.since
            """,
            .text(app.text), .int8(Int64(position.kind.rawValue)), .bytes(position.bytes), .text(reason),
            .int8(since.unixMilliseconds))
        let parent = flagging(target, true)
        return [store] + parent + [devices(of: target, app, "blocked | \(target.kind.rawValue)")]
    }

    static func lifting(_ target: BlockTarget, of app: AppID) -> [SQLStatement] {
        [removal(target, of: app)] + flagging(target, false) + [devices(of: target, app, "blocked & ~\(target.kind.rawValue)")]
    }

    static func removal(_ target: BlockTarget, of app: AppID) -> SQLStatement {
        SQLStatement(
            "DELETE FROM blocks WHERE app = $1 AND kind = $2 AND target = $3", .text(app.text),
            .int8(Int64(target.kind.rawValue)), .bytes(target.position.bytes))
    }

    static func exists(_ target: BlockTarget, of app: AppID) -> SQLStatement {
        SQLStatement(
            "SELECT 1 FROM blocks WHERE app = $1 AND kind = $2 AND target = $3", .text(app.text),
            .int8(Int64(target.kind.rawValue)), .bytes(target.position.bytes))
    }

    private static func flagging(_ target: BlockTarget, _ isBlocked: Bool) -> [SQLStatement] {
        switch target {
        case .device: []
        case .subject(let hash, let app):
            [
                SQLStatement(
                    "UPDATE subjects SET blocked = $3 WHERE subject = $1 AND app = $2", .bytes(hash), .text(app.text),
                    .bool(isBlocked))
            ]
        case .key(let key):
            [
                SQLStatement(
                    "UPDATE device_keys SET blocked = $3 WHERE key_id = $1 AND app = $2", .bytes(key.keyID),
                    .text(key.app.text),
                    .bool(isBlocked))
            ]
        }
    }

    /// Sets the flags of the target's devices to the SQL expression `flags`, and returns each with its flags.
    private static func devices(of target: BlockTarget, _ app: AppID, _ flags: String) -> SQLStatement {
        let update = "UPDATE counters SET blocked = \(flags) WHERE device "
        let result = " RETURNING device, blocked"
        return switch target {
        case .device(let id): SQLStatement(update + "= $1" + result, .bytes(id.bytes))
        case .subject(let hash, let app):
            SQLStatement(
                update + "IN (SELECT id FROM devices WHERE subject = $1 AND app = $2)" + result, .bytes(hash), .text(app.text))
        case .key(let key):
            SQLStatement(
                update + "IN (SELECT device FROM device_keys WHERE key_id = $1 AND app = $2)" + result, .bytes(key.keyID),
                .text(key.app.text))
        }
    }
}
