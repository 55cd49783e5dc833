import AssayCore

/// What the first trip found, and after each accepted entry what it changed: the rules of `VerdictLedger.commit`.
struct GroupFacts {
    /// A refusal of an entry.
    struct Refusal: Error { let code: ReasonCode }

    struct Counter {
        var state: CounterState
        var isBlocked: Bool
        var lastAcceptedAt = Timestamp.distantPast
    }

    struct Certificate {
        let notAfter: Timestamp
        let isRevoked: Bool
    }

    /// Tokens that were spent by the first trip and that no entry has taken yet.
    private(set) var challenges: Set<ChallengeToken> = []
    private(set) var uses: Set<[UInt8]> = []
    private(set) var counters: [DeviceID: Counter] = [:]
    private(set) var keys: [DeviceKey: (device: DeviceID?, isBlocked: Bool)] = [:]
    private(set) var subjects: [SubjectKey: (devices: Int64, isBlocked: Bool)] = [:]
    private var verdicts: [[UInt8]: IdempotencyRow] = [:]
    /// Idempotency keys that the first trip claimed.
    private(set) var claims: Set<[UInt8]> = []
    private var certificates: [CertificateName: Certificate] = [:]
    private var certifiedKeys: Set<DeviceKey> = []
    private var submissions: [DeviceID: [Int64: Int64]] = [:]
    private(set) var horizon = Timestamp.distantPast

    // MARK: Reading the first trip

    mutating func read(_ part: GroupKeys.Part, _ rows: PostgresRows) throws(PostgresError) {
        switch part {
        case .claims: claims = Set(try rows.all { $0.bytes(0) })
        case .verdicts:
            for (key, row) in try rows.all({ ($0.bytes(0), IdempotencyRow($0)) }) where !claims.contains(key) {
                verdicts[key] = row
            }
        case .subjects:
            try rows.forEach { row throws(PostgresError) in
                subjects[SubjectKey(subject: row.bytes(0), app: try app(row, 1))] = (row.int64(2), row.bool(3))
                return true
            }
        case .keys:
            try rows.forEach { row throws(PostgresError) in
                let device = row.isNull(2) ? nil : try id(row, 2)
                keys[DeviceKey(app: try app(row, 1), keyID: row.bytes(0))] = (device, row.bool(3))
                return true
            }
        case .counters:
            try rows.forEach { row throws(PostgresError) in
                guard let counter = UInt32(exactly: row.int64(1)) else { throw .damaged("a counter is no 32-bit number") }
                counters[try id(row, 0)] = Counter(
                    state: CounterState(counter: counter, window: UInt64(bitPattern: row.int64(2))),
                    isBlocked: row.int64(3) != 0)
                return true
            }
        case .certificates:
            try rows.forEach { row throws(PostgresError) in
                certificates[CertificateName(issuer: row.bytes(0), serial: row.bytes(1))] = Certificate(
                    notAfter: Timestamp(unixMilliseconds: row.int64(2)), isRevoked: !row.isNull(3))
                return true
            }
        case .certifiedKeys:
            try rows.forEach { row throws(PostgresError) in
                certifiedKeys.insert(DeviceKey(app: try app(row, 1), keyID: row.bytes(0)))
                return true
            }
        case .submissions:
            try rows.forEach { row throws(PostgresError) in
                submissions[try id(row, 0), default: [:]][row.int64(1)] = row.int64(2)
                return true
            }
        case .challenges:
            challenges = Set(try rows.all { ChallengeToken(expiry: $0.int64(0), token: $0.bytes(1)) })
        case .uses: uses = Set(try rows.all { $0.bytes(0) })
        case .horizon:
            guard let found = try rows.first({ Timestamp(unixMilliseconds: $0.int64(0)) }) else {
                throw .damaged("there is no spent horizon")
            }
            horizon = found
        }
    }

    private func app(_ row: PostgresRow, _ column: Int32) throws(PostgresError) -> AppID {
        guard let app = AppID(row.text(column)) else { throw .damaged("an app's name is none") }
        return app
    }

    private func id(_ row: PostgresRow, _ column: Int32) throws(PostgresError) -> DeviceID {
        guard let id = DeviceID(bytes: row.bytes(column)) else { throw .damaged("a device's name is none") }
        return id
    }

    // MARK: Deciding

    /// The outcome of an entry. An accepted one is added to the facts and to `changes`.
    mutating func decide(_ entry: LedgerEntry, _ changes: inout GroupChanges) -> CommitOutcome {
        if let outcome = earlierOutcome(of: entry) { return outcome }
        do throws(Refusal) {
            var known = try knownDevices(of: entry)
            if isSubjectBlocked(of: entry) { throw Refusal(code: .deviceBlocked) }
            try checkBasis(of: entry)
            try checkSpends(of: entry)
            try advance(&known, by: entry)
            try checkRegistrations(of: entry)
            try checkIssue(of: entry)
            try checkSubmission(of: entry)
            apply(entry, known, &changes)
            return .committed
        } catch {
            return .refused(error.code)
        }
    }

    private func earlierOutcome(of entry: LedgerEntry) -> CommitOutcome? {
        guard let asked = entry.idempotency, let row = verdicts[asked.key], entry.time < row.expiry else { return nil }
        guard row.request == asked.request else { return .refused(.idempotencyKeyReused) }
        if let objection = row.objection { return .refused(objection) }
        return isSubjectBlocked(of: entry) ? .refused(.deviceBlocked) : .repeated(verdict: row.verdict)
    }

    private func isSubjectBlocked(of entry: LedgerEntry) -> Bool {
        entry.subject.map { subjects[SubjectKey(subject: $0, app: entry.audit.app)]?.isBlocked ?? false } ?? false
    }

    /// The counters of the entry's devices: those that it registers, and those that its advances and its record name.
    private func knownDevices(of entry: LedgerEntry) throws(Refusal) -> [DeviceID: Counter] {
        var known: [DeviceID: Counter] = [:]
        for device in entry.registrations where known[device.id] == nil {
            known[device.id] = Counter(
                state: CounterState(counter: device.counter, window: device.counterWindow), isBlocked: device.isBlocked,
                lastAcceptedAt: device.lastAcceptedAt)
        }
        for id in entry.advances.map(\.device) + [entry.audit.device].compactMap(\.self) where known[id] == nil {
            guard var counter = counters[id] else { throw Refusal(code: .unknownDevice) }
            guard !counter.isBlocked else { throw Refusal(code: .deviceBlocked) }
            counter.lastAcceptedAt = max(counter.lastAcceptedAt, entry.time)
            known[id] = counter
        }
        if let replaced = entry.replacement?.device.id {
            guard let counter = counters[replaced] else { throw Refusal(code: .unknownDevice) }
            guard !counter.isBlocked else { throw Refusal(code: .deviceBlocked) }
        }
        return known
    }

    private func checkBasis(of entry: LedgerEntry) throws(Refusal) {
        guard let name = entry.certification?.restsOn else { return }
        guard let certificate = certificates[name] else { throw Refusal(code: .unknownCertificate) }
        guard !certificate.isRevoked else { throw Refusal(code: .revoked) }
        guard entry.time <= certificate.notAfter else { throw Refusal(code: .expired) }
    }

    private func checkSpends(of entry: LedgerEntry) throws(Refusal) {
        for (index, spend) in entry.spends.enumerated() {
            guard spend.expiry > horizon else { throw Refusal(code: .challengeExpired) }
            let isFresh =
                spend.expiryIsFixed
                ? challenges.contains(ChallengeToken(expiry: spend.expiry.unixMilliseconds, token: spend.token))
                : uses.contains(spend.token)
            guard isFresh, !entry.spends[..<index].contains(where: { $0.token == spend.token }) else {
                throw Refusal(code: .challengeReused)
            }
        }
    }

    private func advance(_ known: inout [DeviceID: Counter], by entry: LedgerEntry) throws(Refusal) {
        for advance in entry.advances {
            guard var counter = known[advance.device] else { throw Refusal(code: .unknownDevice) }
            do throws(Rejection) {
                counter.state = try counter.state.advanced(to: advance.counter, rule: advance.rule)
            } catch {
                throw Refusal(code: error.code.builtIn ?? .counterNotIncreasing)
            }
            counter.lastAcceptedAt = max(counter.lastAcceptedAt, entry.time)
            known[advance.device] = counter
        }
    }

    private func checkRegistrations(of entry: LedgerEntry) throws(Refusal) {
        for (index, device) in entry.registrations.enumerated() {
            let before = entry.registrations[..<index]
            if isBlocked(device) { throw Refusal(code: .deviceBlocked) }
            guard keys[device.key]?.device == nil, counters[device.id] == nil,
                !before.contains(where: { $0.id == device.id || $0.key == device.key })
            else { throw Refusal(code: .keyAlreadyRegistered) }
            if let limit = entry.devicesPerSubject,
                let subject = device.subject.flatMap({ subjects[SubjectKey(subject: $0, app: device.app)] })
            {
                let pending = before.count { $0.app == device.app && $0.subject == device.subject }
                let replaced: Int64 = entry.replaces(oneOfSubjectOf: device) ? 1 : 0
                guard subject.devices + Int64(pending) - replaced < Int64(limit) else { throw Refusal(code: .tooManyDevices) }
            }
        }
    }

    private func checkIssue(of entry: LedgerEntry) throws(Refusal) {
        guard let certificate = entry.certification?.issues else { return }
        guard
            entry.audit.device == certificate.device || entry.advances.contains(where: { $0.device == certificate.device })
                || entry.registrations.contains(where: { $0.id == certificate.device })
        else { throw Refusal(code: .unknownDevice) }
        let key = DeviceKey(app: certificate.app, keyID: certificate.keyID)
        guard keys[key]?.isBlocked != true else { throw Refusal(code: .deviceBlocked) }
        guard !certifiedKeys.contains(key) else { throw Refusal(code: .keyAlreadyCertified) }
        guard certificates[certificate.name] == nil else { throw Refusal(code: .certificateSerialTaken) }
        if let origin = certificate.renewedFrom, certificates[origin] == nil { throw Refusal(code: .unknownCertificate) }
    }

    private func checkSubmission(of entry: LedgerEntry) throws(Refusal) {
        guard let submission = entry.certification?.submission else { return }
        let hours = SubmissionHours.counted(at: entry.time)
        let count = submissions[submission.device, default: [:]].reduce(0) { hours.contains($1.key) ? $0 + $1.value : $0 }
        guard count < submission.limit else { throw Refusal(code: .tooManySubmissions) }
    }

    // MARK: Applying

    private mutating func apply(_ entry: LedgerEntry, _ known: [DeviceID: Counter], _ changes: inout GroupChanges) {
        for spend in entry.spends {
            if spend.expiryIsFixed {
                challenges.remove(ChallengeToken(expiry: spend.expiry.unixMilliseconds, token: spend.token))
            } else {
                uses.remove(spend.token)
            }
        }
        for (id, counter) in known { counters[id] = counter }
        changes.touched.formUnion(known.keys)
        for device in entry.registrations { register(device, &changes) }
        if let replaced = entry.replacement?.device { remove(replaced) }
        if let certificate = entry.certification?.issues {
            certifiedKeys.insert(DeviceKey(app: certificate.app, keyID: certificate.keyID))
            certificates[certificate.name] = Certificate(
                notAfter: certificate.notAfter, isRevoked: certificate.revocation != nil)
            changes.certificates.append(certificate)
        }
        if let submission = entry.certification?.submission {
            let hour = SubmissionHours.hour(of: entry.time)
            submissions[submission.device, default: [:]][hour, default: 0] += 1
            changes.submissions[.init(device: submission.device, hour: hour), default: 0] += 1
        }
        if let asked = entry.idempotency { keep(asked, of: entry, &changes) }
        changes.accepted.append(entry)
    }

    /// Adds a device whose counter is known already.
    private mutating func register(_ device: Device, _ changes: inout GroupChanges) {
        changes.registered.append(device)
        keys[device.key]?.device = device.id
        if let subject = device.subject { subjects[SubjectKey(subject: subject, app: device.app)]?.devices += 1 }
        for block in device.blocks {
            switch block.kind {
            case .device: break
            case .subject: device.subject.map { subjects[SubjectKey(subject: $0, app: device.app)]?.isBlocked = true }
            case .key: keys[device.key]?.isBlocked = true
            }
        }
    }

    /// Removes a device that is replaced. The statements that do so are run before those of the group.
    private mutating func remove(_ device: Device) {
        counters[device.id] = nil
        keys[device.key]?.device = nil
        if let subject = device.subject { subjects[SubjectKey(subject: subject, app: device.app)]?.devices -= 1 }
    }

    /// The outcome of an import. An added device is added to the facts and to `changes`.
    ///
    /// - Parameter known: the registered devices of the imported keys.
    mutating func decide(
        imported device: Device, _ known: [DeviceKey: Device], _ changes: inout GroupChanges
    ) -> ImportOutcome {
        if let known = known[device.key] { return known.accounts(for: device) ? .present(known.id) : .conflict(known.id) }
        if isBlocked(device) { return .refused(.deviceBlocked) }
        if let other = changes.registered.first(where: { $0.key == device.key }) {
            return other.accounts(for: device) ? .present(other.id) : .conflict(other.id)
        }
        guard counters[device.id] == nil else { return .conflict(device.id) }
        counters[device.id] = Counter(
            state: CounterState(counter: device.counter, window: device.counterWindow), isBlocked: device.isBlocked,
            lastAcceptedAt: device.lastAcceptedAt)
        register(device, &changes)
        return .added(device.id)
    }

    /// True if the key or the subject of a new device is blocked.
    func isBlocked(_ device: Device) -> Bool {
        let subject = device.subject.flatMap { subjects[SubjectKey(subject: $0, app: device.app)] }
        return subject?.isBlocked == true || keys[device.key]?.isBlocked == true
    }

    private mutating func keep(
        _ asked: LedgerEntry.Idempotency, of entry: LedgerEntry, _ changes: inout GroupChanges
    ) {
        let objection: ReasonCode? =
            if let device = asked.device {
                counters[device].map { $0.isBlocked ? .deviceBlocked : nil } ?? .unknownDevice
            } else { nil }
        let isRevoked = entry.verdictCertificate.flatMap { certificates[$0] }?.isRevoked ?? false
        verdicts[asked.key] = IdempotencyRow(
            request: asked.request, verdict: asked.verdict, expiry: asked.expiry,
            objection: objection ?? (isRevoked ? .revoked : nil))
        claims.remove(asked.key)
        changes.verdicts[asked.key] = entry
    }
}
