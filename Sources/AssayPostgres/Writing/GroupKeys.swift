import AssayCore

/// A subject of an app, by its keyed hash.
struct SubjectKey: Hashable {
    let subject: [UInt8]
    let app: AppID
}

/// A token with a fixed expiry.
struct ChallengeToken: Hashable {
    let expiry: Int64
    let token: [UInt8]
}

/// The rows that a group of entries meets others in, and the first trip: it locks them in one order, which all transactions keep, and
/// reads them. Each list is sorted.
///
/// Idempotency keys, subjects, keys, counters, certificates, tokens. Rows that are not there yet are made by the lock, so that a block
/// and a registration of one key or subject cannot overtake each other; rows that are not needed are removed in the second trip.
struct GroupKeys {
    private var idempotency: [[UInt8]: Timestamp] = [:]
    private(set) var subjects: Set<SubjectKey> = []
    private(set) var keys: Set<DeviceKey> = []
    private var devices: Set<DeviceID> = []
    private var certificates: Set<CertificateName> = []
    private var certifiedKeys: Set<DeviceKey> = []
    private var submitters: Set<DeviceID> = []
    private var firstHour = Int64.max
    private(set) var challenges: Set<ChallengeToken> = []
    /// Other tokens, each with the latest expiry that an entry gives it.
    private(set) var uses: [[UInt8]: Int64] = [:]

    init(_ entries: some Sequence<LedgerEntry>) { for entry in entries { add(entry) } }

    /// The rows of devices that are registered or removed.
    init(of devices: some Sequence<Device>) { for device in devices { add(device) } }

    mutating func add(_ device: Device) {
        if let subject = device.subject { subjects.insert(SubjectKey(subject: subject, app: device.app)) }
        keys.insert(device.key)
        devices.insert(device.id)
    }

    mutating func add(_ key: DeviceKey) { keys.insert(key) }
    mutating func add(_ device: DeviceID) { devices.insert(device) }
    mutating func add(_ subject: SubjectKey) { subjects.insert(subject) }

    private mutating func add(_ entry: LedgerEntry) {
        if let asked = entry.idempotency {
            idempotency[asked.key] = min(idempotency[asked.key] ?? entry.time, entry.time)
            if let device = asked.device { devices.insert(device) }
        }
        if let subject = entry.subject { subjects.insert(SubjectKey(subject: subject, app: entry.audit.app)) }
        for device in entry.registrations { add(device) }
        if let replaced = entry.replacement?.device { add(replaced) }
        for advance in entry.advances { devices.insert(advance.device) }
        if let device = entry.audit.device { devices.insert(device) }
        for spend in entry.spends {
            let expiry = spend.expiry.unixMilliseconds
            if spend.expiryIsFixed {
                challenges.insert(ChallengeToken(expiry: expiry, token: spend.token))
            } else {
                uses[spend.token] = max(uses[spend.token] ?? expiry, expiry)
            }
        }
        guard let certification = entry.certification else { return }
        if let name = certification.restsOn { certificates.insert(name) }
        if let certificate = certification.issues {
            certificates.insert(certificate.name)
            if let origin = certificate.renewedFrom { certificates.insert(origin) }
            let key = DeviceKey(app: certificate.app, keyID: certificate.keyID)
            keys.insert(key)
            certifiedKeys.insert(key)
        }
        if let submission = certification.submission {
            devices.insert(submission.device)
            submitters.insert(submission.device)
            firstHour = min(firstHour, SubmissionHours.counted(at: entry.time).lowerBound)
        }
    }

    /// The periods of the challenges.
    var periods: Set<SpentPeriod> {
        Set(challenges.map { SpentPeriod(of: Timestamp(unixMilliseconds: $0.expiry)) })
    }

    /// Leaves out tokens that are not fresh any more, so that no period is made for them.
    mutating func dropTokens(upTo horizon: Timestamp) {
        challenges = challenges.filter { $0.expiry > horizon.unixMilliseconds }
        uses = uses.filter { $0.value > horizon.unixMilliseconds }
    }

    // MARK: The first trip

    /// What a statement of the trip reads.
    enum Part {
        case claims, verdicts, subjects, keys, counters, certificates, certifiedKeys, submissions, challenges, uses, horizon
    }

    /// The statements in the order of locks. Those of kinds that the group lacks are left out.
    var trip: [(part: Part, statement: SQLStatement)] {
        verdictStatements + subjectStatements + keyStatements + counterStatements + certificateStatements + tokenStatements
    }

    private var verdictStatements: [(Part, SQLStatement)] {
        guard !idempotency.isEmpty else { return [] }
        let asked = idempotency.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let keys = SQLValue.bytesList(asked.map(\.key))
        // A claim replaces a verdict that has expired, and is filled in or removed in the second trip.
        let claim = SQLStatement(
            """
            INSERT INTO idempotency AS i (key, request, expiry, verdict)
            SELECT e.k, ''::bytea, e.t, ''::bytea FROM unnest($1::bytea[], $2::bigint[]) AS e(k, t)
            ON CONFLICT (key) DO UPDATE SET request = ''::bytea, expiry = excluded.expiry, device = NULL, certificate = NULL,
                verdict = ''::bytea
            WHERE i.expiry <= excluded.expiry RETURNING key
            """, keys, .int8s(asked.map(\.value.unixMilliseconds)))
        let read = SQLStatement(IdempotencyRow.selection + " WHERE i.key = ANY ($1::bytea[])", keys)
        return [(.claims, claim), (.verdicts, read)]
    }

    private var subjectStatements: [(Part, SQLStatement)] {
        subjects.isEmpty ? [] : [(.subjects, Locks.subjects(subjects))]
    }

    private var keyStatements: [(Part, SQLStatement)] { keys.isEmpty ? [] : [(.keys, Locks.keys(keys))] }

    private var counterStatements: [(Part, SQLStatement)] { devices.isEmpty ? [] : [(.counters, Locks.counters(devices))] }

    private var certificateStatements: [(Part, SQLStatement)] {
        var statements: [(Part, SQLStatement)] = []
        if !certificates.isEmpty {
            let names = Array(certificates)
            statements.append(
                (
                    .certificates,
                    SQLStatement(
                        """
                        SELECT i.issuer, c.serial, c.not_after, c.revoked_at
                        FROM unnest($1::bytea[], $2::bytea[]) AS e(i, s) JOIN issuers i ON i.issuer = e.i
                            JOIN certificates c ON c.issuer = i.number AND c.serial = e.s
                        ORDER BY c.number FOR SHARE OF c
                        """, .bytesList(names.map(\.issuer)), .bytesList(names.map(\.serial)))
                ))
        }
        if !certifiedKeys.isEmpty {
            let keys = Array(certifiedKeys)
            statements.append(
                (
                    .certifiedKeys,
                    SQLStatement(
                        """
                        SELECT c.key_id, c.app FROM unnest($1::bytea[], $2::text[]) AS e(k, a)
                            JOIN certificates c ON c.key_id = e.k AND c.app = e.a
                        """, .bytesList(keys.map(\.keyID)), .texts(keys.map(\.app.text)))
                ))
        }
        if !submitters.isEmpty {
            statements.append(
                (
                    .submissions,
                    SQLStatement(
                        "SELECT device, hour, count FROM submissions WHERE device = ANY ($1::bytea[]) AND hour >= $2",
                        .bytesList(submitters.map(\.bytes)), .int8(firstHour))
                ))
        }
        return statements
    }

    /// The horizon is read last, in a statement of its own: a token that was dropped meanwhile is spent again here, and the statement
    /// then sees the horizon that was raised with the drop.
    private var tokenStatements: [(Part, SQLStatement)] {
        var statements: [(Part, SQLStatement)] = []
        if !challenges.isEmpty {
            let sorted = challenges.sorted { a, b in
                a.expiry == b.expiry ? a.token.lexicographicallyPrecedes(b.token) : a.expiry < b.expiry
            }
            statements.append(
                (
                    .challenges,
                    SQLStatement(
                        """
                        INSERT INTO spent (expiry, token) SELECT e.x, e.t FROM unnest($1::bigint[], $2::bytea[]) AS e(x, t)
                        ON CONFLICT DO NOTHING RETURNING expiry, token
                        """, .int8s(sorted.map(\.expiry)), .bytesList(sorted.map(\.token)))
                ))
        }
        if !uses.isEmpty {
            let sorted = uses.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            statements.append(
                (
                    .uses,
                    SQLStatement(
                        """
                        INSERT INTO used (token, expiry) SELECT e.t, e.x FROM unnest($1::bytea[], $2::bigint[]) AS e(t, x)
                        ON CONFLICT DO NOTHING RETURNING token
                        """, .bytesList(sorted.map(\.key)), .int8s(sorted.map(\.value)))
                ))
        }
        statements.append((.horizon, SQLStatement(SpentTable.horizon)))
        return statements
    }
}

/// The locks that entries and operators' changes share. Each is taken in the order of its keys' bytes. What is not there is made: there
/// is then no gap in which another transaction could make it. `ON CONFLICT DO UPDATE` with nothing to change locks the newest row.
enum Locks {
    /// Subject, app, devices, blocked.
    static func subjects(_ some: Set<SubjectKey>) -> SQLStatement {
        let sorted = some.sorted { a, b in
            a.subject == b.subject ? a.app.text < b.app.text : a.subject.lexicographicallyPrecedes(b.subject)
        }
        return SQLStatement(
            """
            INSERT INTO subjects AS s (subject, app) SELECT e.s, e.a FROM unnest($1::bytea[], $2::text[]) AS e(s, a)
            ON CONFLICT (subject, app) DO UPDATE SET blocked = s.blocked RETURNING subject, app, devices, blocked
            """, .bytesList(sorted.map(\.subject)), .texts(sorted.map(\.app.text)))
    }

    /// Key, app, device, blocked.
    static func keys(_ some: Set<DeviceKey>) -> SQLStatement {
        let sorted = some.sorted { a, b in
            a.keyID == b.keyID ? a.app.text < b.app.text : a.keyID.lexicographicallyPrecedes(b.keyID)
        }
        return SQLStatement(
            """
            INSERT INTO device_keys AS k (key_id, app) SELECT e.k, e.a FROM unnest($1::bytea[], $2::text[]) AS e(k, a)
            ON CONFLICT (key_id, app) DO UPDATE SET blocked = k.blocked RETURNING key_id, app, device, blocked
            """, .bytesList(sorted.map(\.keyID)), .texts(sorted.map(\.app.text)))
    }

    /// Device, counter, window, blocked of those that are registered.
    static func counters(_ some: Set<DeviceID>) -> SQLStatement {
        SQLStatement(
            """
            SELECT device, counter, "window", blocked FROM counters WHERE device = ANY ($1::bytea[])
            ORDER BY device FOR NO KEY UPDATE
            """, .bytesList(some.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }))
    }

    // MARK: Removing what was made for a lock only

    static func cleanUp(_ some: some Collection<SubjectKey>) -> SQLStatement {
        SQLStatement(
            """
            DELETE FROM subjects s USING unnest($1::bytea[], $2::text[]) AS e(s, a)
            WHERE s.subject = e.s AND s.app = e.a AND s.devices = 0 AND NOT s.blocked
            """, .bytesList(some.map(\.subject)), .texts(some.map(\.app.text)))
    }

    static func cleanUp(_ some: some Collection<DeviceKey>) -> SQLStatement {
        SQLStatement(
            """
            DELETE FROM device_keys k USING unnest($1::bytea[], $2::text[]) AS e(k, a)
            WHERE k.key_id = e.k AND k.app = e.a AND k.device IS NULL AND NOT k.blocked
            """, .bytesList(some.map(\.keyID)), .texts(some.map(\.app.text)))
    }
}
