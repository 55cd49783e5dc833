import AssayCore

/// The records of a `MemoryLedger`, and the rules of `VerdictLedger.commit`, stated plainly.
struct MemoryState: Sendable {
    struct SecretName: Hashable {
        let name: String
        let number: UInt32
    }

    /// The ledger's own writer.
    let writer: AuditWriter
    var devices: [DeviceID: Device] = [:]
    var names: [DeviceKey: DeviceID] = [:]
    /// The position of each device in listings.
    var numbers: [DeviceID: Int64] = [:]
    var lastNumber: Int64 = 0
    var blocks: [BlockTarget: Device.Block] = [:]
    var spent: [[UInt8]: LedgerEntry.Spend] = [:]
    var horizon = Timestamp.distantPast
    var verdicts: [[UInt8]: KeptVerdict] = [:]
    /// The keys of `verdicts` in the order in which they were stored. Some may have been removed from `verdicts`.
    var verdictOrder: [[UInt8]] = []
    var audit: [AuditRow] = []
    var auditClaims: [Int64: (device: DeviceID?, app: AppID, claims: AuditClaims)] = [:]
    /// The chain before the first kept row, and after the last.
    var start = AuditChain()
    var chain = AuditChain()
    /// The rows of other writers.
    var otherChains: [AuditWriter: [AuditRow]] = [:]
    var secrets: [SecretName: WrappedSecret] = [:]
    /// In the order in which they were added. The position of each in listings is its index and 1.
    var policies: [StoredPolicy] = []
    var clock: ClockMemory?
    var callerKeys: [CallerKey] = []
    /// Names and hashes of `callerKeys`, which are looked for at each addition: a ledger may have 10,000.
    var callerKeyNames: Set<String> = []
    var callerKeyHashes: Set<[UInt8]> = []
    /// In the order in which they were published.
    var resultKeys: [PublishedResultKey] = []
    var statusPlaces: [StatusName: KeptPlace] = [:]
    /// The number of the place that was given out last.
    var lastStatusPlace: Int64 = 0
    /// By list. Those of lists without places stay.
    var statusRevisions: [UInt32: Int64] = [:]
    /// Registered devices whose places are invalid.
    var invalidDevices: Set<DeviceID> = []
    /// The verdicts by payload, in the order in which they were committed.
    var indexed: [IndexedVerdict] = []
    var uploads: [UploadID: KeptUpload] = [:]
    /// In the order in which they were issued. The position of each in listings is its index and 1.
    var certificates: [DeviceCertificate] = []
    var revocationLists: [[UInt8]: StoredRevocationList] = [:]
    /// How many submissions were counted, by device and hour.
    var submissions: [DeviceID: [Int64: Int64]] = [:]
    /// In the order in which they were added, each with its position in listings.
    var enrolments: [(number: Int64, enrolment: Enrolment)] = []
    var lastEnrolment: Int64 = 0
    var fleetDevices: [FleetDevice] = []

    init(writer: AuditWriter) { self.writer = writer }

    /// The device with its present blocks.
    func device(_ id: DeviceID) -> Device? {
        guard var device = devices[id] else { return nil }
        device.blocks = BlockKind.allCases.compactMap { device.blockTarget($0) }.compactMap { blocks[$0] }
        return device
    }

    /// Why a stored verdict about a device is void; `nil` if it is not.
    func objection(to kept: KeptVerdict) -> ReasonCode? {
        if let id = kept.verdict.device {
            guard let device = device(id) else { return .unknownDevice }
            if device.isBlocked { return .deviceBlocked }
        }
        return kept.certificate.flatMap(certificate)?.revocation == nil ? nil : .revoked
    }

    /// A stored verdict, and the certificate whose revocation makes it void.
    struct KeptVerdict {
        let verdict: LedgerEntry.Idempotency
        let certificate: CertificateName?
    }

    mutating func commit(_ entry: LedgerEntry) -> CommitOutcome {
        if let outcome = earlierOutcome(of: entry) { return outcome }
        do throws(Rejection) {
            var changed = try knownDevices(of: entry)
            if isSubjectBlocked(of: entry) { throw Rejection(.deviceBlocked, "the subject") }
            try checkCertificate(of: entry)
            try checkSpends(of: entry)
            try advance(&changed, by: entry)
            try checkRegistrations(of: entry)
            try checkIssue(of: entry)
            try checkSubmission(of: entry)
            apply(entry, changed)
            return .committed
        } catch {
            guard let code = error.code.builtIn else { preconditionFailure("the checks of a ledger have built-in codes") }
            return .refused(code)
        }
    }

    private func earlierOutcome(of entry: LedgerEntry) -> CommitOutcome? {
        guard let asked = entry.idempotency, let kept = verdicts[asked.key], entry.time < kept.verdict.expiry
        else { return nil }
        guard kept.verdict.request == asked.request else { return .refused(.idempotencyKeyReused) }
        if let objection = objection(to: kept) { return .refused(objection) }
        return isSubjectBlocked(of: entry) ? .refused(.deviceBlocked) : .repeated(verdict: kept.verdict.verdict)
    }

    private func isSubjectBlocked(of entry: LedgerEntry) -> Bool {
        entry.subject.map { blocks[.subject($0, of: entry.audit.app)] != nil } ?? false
    }

    /// The devices of the entry: those that it registers, and those that its counters and its record name.
    private func knownDevices(of entry: LedgerEntry) throws(Rejection) -> [DeviceID: Device] {
        var known = Dictionary(entry.registrations.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for id in entry.advances.map(\.device) + [entry.audit.device].compactMap({ $0 }) where known[id] == nil {
            guard let device = device(id) else { throw Rejection(.unknownDevice, "\(id)") }
            guard !device.isBlocked else { throw Rejection(.deviceBlocked, "\(id)") }
            known[id] = device
            known[id]?.lastAcceptedAt = max(device.lastAcceptedAt, entry.time)
        }
        if let id = entry.replacement?.device.id {
            guard let device = device(id) else { throw Rejection(.unknownDevice, "\(id)") }
            guard !device.isBlocked else { throw Rejection(.deviceBlocked, "\(id)") }
        }
        return known
    }

    private func checkSpends(of entry: LedgerEntry) throws(Rejection) {
        var tokens: Set<[UInt8]> = []
        for spend in entry.spends {
            guard spend.expiry > horizon else { throw Rejection(.challengeExpired, "at or below the horizon") }
            guard spent[spend.token] == nil, tokens.insert(spend.token).inserted else {
                throw Rejection(.challengeReused, "spent before")
            }
        }
    }

    private func advance(_ devices: inout [DeviceID: Device], by entry: LedgerEntry) throws(Rejection) {
        for advance in entry.advances {
            guard var device = devices[advance.device] else { throw Rejection(.unknownDevice, "\(advance.device)") }
            let state = try CounterState(counter: device.counter, window: device.counterWindow)
                .advanced(to: advance.counter, rule: advance.rule)
            (device.counter, device.counterWindow) = (state.counter, state.window)
            device.lastAcceptedAt = max(device.lastAcceptedAt, entry.time)
            devices[advance.device] = device
        }
    }

    private func checkRegistrations(of entry: LedgerEntry) throws(Rejection) {
        var ids: Set<DeviceID> = []
        var keys: Set<DeviceKey> = []
        var pending: [Device] = []
        for device in entry.registrations {
            guard !refuses(device) else { throw Rejection(.deviceBlocked, "\(device.id)") }
            guard devices[device.id] == nil, names[device.key] == nil, ids.insert(device.id).inserted,
                keys.insert(device.key).inserted
            else { throw Rejection(.keyAlreadyRegistered, "\(device.id)") }
            if let limit = entry.devicesPerSubject, device.subject != nil {
                let ofSubject = (Array(devices.values) + pending).count {
                    $0.app == device.app && $0.subject == device.subject
                }
                let others = ofSubject - (entry.replaces(oneOfSubjectOf: device) ? 1 : 0)
                guard others < Int(limit) else { throw Rejection(.tooManyDevices, "\(others)") }
            }
            pending.append(device)
        }
    }

    private mutating func apply(_ entry: LedgerEntry, _ changed: [DeviceID: Device]) {
        devices.merge(changed) { _, new in new }
        for device in entry.registrations { add(device) }
        for spend in entry.spends { spent[spend.token] = spend }
        if let verdict = entry.idempotency {
            verdicts[verdict.key] = KeptVerdict(verdict: verdict, certificate: entry.verdictCertificate)
            verdictOrder.removeAll { $0 == verdict.key }
            verdictOrder.append(verdict.key)
        }
        indexed += entry.lookups
        log(entry.audit.bytes, at: entry.time)
        auditClaims[chain.number] = entry.auditClaims.map { (entry.audit.device, entry.audit.app, $0) }
        if let certificate = entry.certification?.issues {
            add(certificate, by: .caller(entry.audit.caller), at: entry.time)
        }
        if let submission = entry.certification?.submission {
            submissions[submission.device, default: [:]][SubmissionHours.hour(of: entry.time), default: 0] += 1
        }
        if let replaced = entry.replacement.flatMap({ device($0.device.id) }), let context = entry.replacementContext {
            _ = end(replaced, .superseded, context)
        }
    }

    mutating func log(_ record: [UInt8], at time: Timestamp) {
        chain.append(record, at: time)
        audit.append(AuditRow(number: chain.number, time: time, record: record, head: chain.head))
    }

    mutating func log(_ change: AuditChange, at time: Timestamp) { log(change.bytes, at: time) }

    mutating func purge(now: Timestamp) {
        let dropped = spent.values.map(\.expiry).filter { $0 <= now }
        spent = spent.filter { $0.value.expiry > now }
        verdicts = verdicts.filter { $0.value.verdict.expiry > now }
        horizon = max(horizon, dropped.max() ?? horizon)
        let first = SubmissionHours.counted(at: now).lowerBound
        submissions = submissions.mapValues { $0.filter { $0.key >= first } }.filter { !$0.value.isEmpty }
        purgeResults(now: now)
        purgeUploads(now: now)
    }

    func page(from number: Int64, limit: Int) -> AuditPage {
        let rows = audit.drop { $0.number < number }.prefix(max(0, min(limit, AuditPage.limit)))
        return AuditPage(of: writer, start: start, last: chain.number, rows: Array(rows))
    }

    func page(of writer: AuditWriter, from number: Int64, limit: Int) -> AuditPage? {
        if writer == self.writer { return page(from: number, limit: limit) }
        guard let chain = otherChains[writer] else { return nil }
        let rows = chain.drop { $0.number < number }.prefix(max(0, min(limit, AuditPage.limit)))
        return AuditPage(of: writer, start: AuditChain(), last: chain.last?.number ?? 0, rows: Array(rows))
    }

    mutating func log(_ record: [UInt8], at time: Timestamp, by other: AuditWriter) {
        let last = otherChains[other]?.last.map { AuditChain(number: $0.number, head: $0.head) } ?? AuditChain()
        let chain = last.appending(record, at: time)
        otherChains[other, default: []].append(AuditRow(number: chain.number, time: time, record: record, head: chain.head))
    }

    mutating func forgetAuditClaims(of device: DeviceID, app: AppID, _ context: ChangeContext) -> Int64 {
        let before = auditClaims.count
        auditClaims = auditClaims.filter { $0.value.device != device || $0.value.app != app }
        let count = Int64(before - auditClaims.count)
        if count > 0 { log(.forgetClaims(of: device, app: app, count: count, context), at: context.time) }
        return count
    }

    mutating func trim(to limits: Retention) -> Trimmed {
        var trimmed = Trimmed()
        if limits.auditFrom != nil || limits.auditRows != nil {
            let found = page(from: .min, limit: AuditPage.limit).droppable(under: limits)
            (trimmed.auditRows, trimmed.fault) = (found.chain.number - start.number, found.fault)
            trimmed.start = found.chain
            trimmed.hasMore = trimmed.auditRows == AuditPage.limit
            start = found.chain
            audit.removeAll { $0.number <= found.chain.number }
            auditClaims = auditClaims.filter { $0.key > found.chain.number }
        }
        verdictOrder.removeAll { verdicts[$0] == nil }
        let excess = verdictOrder.prefix(max(0, verdicts.count - Int(clamping: limits.verdicts ?? .max)))
        for key in excess { verdicts[key] = nil }
        trimmed.verdicts = Int64(excess.count)
        guard !trimmed.hasMore else { return trimmed }
        trimmed.challenges = forgetChallenges(beyond: Int(clamping: limits.challenges ?? .max))
        trimmed.evidence = Int64(spent.values.count { !$0.expiryIsFixed })
        return trimmed
    }

    private mutating func forgetChallenges(beyond limit: Int) -> Int64 {
        let challenges = spent.values.filter(\.expiryIsFixed)
        let excess = challenges.map(\.expiry).sorted().prefix(max(0, challenges.count - max(0, limit)))
        guard let last = excess.last else { return 0 }
        horizon = max(horizon, last)
        spent = spent.filter { !$0.value.expiryIsFixed || $0.value.expiry > last }
        return Int64(challenges.count { $0.expiry <= last })
    }
}
