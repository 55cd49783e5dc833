import AssayCore
import AssayLedger

/// Applies one entry inside the transaction.
///
/// Tokens are spent first, in one statement each that checks and writes. If a later change is refused, which is rare, they are given
/// back, so that most entries need no savepoint. Only an entry with several further writes that can be refused takes one.
extension WriterSession {
    func apply(_ entry: LedgerEntry) throws(SQLiteError) -> CommitOutcome {
        if let outcome = try earlierOutcome(of: entry) { return outcome }
        if try isSubjectBlocked(of: entry) { return .refused(try objection(to: entry)) }
        if entry.certification != nil, try objection(toCertificatesOf: entry) != nil {
            return .refused(try objection(to: entry))
        }
        guard try spend(entry.spends, at: entry.time) else { return .refused(try objection(to: entry)) }

        let touched = entry.touchedDevice
        let replaced = entry.replacement?.device.id
        let refusable = entry.registrations.count + entry.advances.count + (touched == nil ? 0 : 1) + (replaced == nil ? 0 : 1)
        let done =
            refusable > 1
            ? try attempt { () throws(SQLiteError) in try applyDevices(of: entry, touched) }
            : try applyDevices(of: entry, touched)
        guard done else {
            try giveBack(entry.spends[...], at: entry.time)
            return .refused(try objection(to: entry))
        }
        try audit.append(entry)
        for lookup in entry.lookups { try payloads.add(lookup) }
        if let certification = entry.certification { try apply(certification, of: entry) }
        if let replaced, let context = entry.replacementContext {
            guard let device = try devices.device(replaced) else { throw .damaged("a device with a counter has no record") }
            _ = try end(device, .superseded, context)
        }
        if let verdict = entry.idempotency {
            try idempotency.keep(verdict, certificate: try entry.verdictCertificate.flatMap(certificates.number(of:)))
        }
        return .committed
    }

    private func earlierOutcome(of entry: LedgerEntry) throws(SQLiteError) -> CommitOutcome? {
        guard let asked = entry.idempotency, let row = try idempotency.row(asked.key, now: entry.time) else { return nil }
        guard row.request == asked.request else { return .refused(.idempotencyKeyReused) }
        if let objection = row.objection { return .refused(objection) }
        return try isSubjectBlocked(of: entry) ? .refused(.deviceBlocked) : .repeated(verdict: row.verdict)
    }

    private func isSubjectBlocked(of entry: LedgerEntry) throws(SQLiteError) -> Bool {
        guard let subject = entry.subject else { return false }
        return try blocks.isBlocked(subject: subject, of: entry.audit.app)
    }

    /// Spends the tokens. False, and none spent, if one cannot be spent.
    private func spend(_ spends: [LedgerEntry.Spend], at time: Timestamp) throws(SQLiteError) -> Bool {
        for (index, spend) in spends.enumerated() {
            // An entry has one or two of them.
            let isRepeated = index > 0 && spends[..<index].contains { $0.token == spend.token }
            if !isRepeated, try spent.spend(spend, at: time) { continue }
            try giveBack(spends[..<index], at: time)
            return false
        }
        return true
    }

    private func giveBack(_ spends: ArraySlice<LedgerEntry.Spend>, at time: Timestamp) throws(SQLiteError) {
        for spend in spends { try spent.giveBack(spend, at: time) }
    }

    /// Makes the changes of devices, which can be refused. False at the first refusal.
    private func applyDevices(of entry: LedgerEntry, _ touched: DeviceID?) throws(SQLiteError) -> Bool {
        for device in entry.registrations {
            guard try !blocks.refuses(device), try mayRegister(for: device, in: entry, besides: 0), try add(device) else {
                return false
            }
        }
        for advance in entry.advances {
            guard try counters.advance(advance, at: entry.time) else { return false }
            note(.advanced(advance, at: entry.time))
        }
        if let touched {
            guard try counters.touch(touched, at: entry.time) else { return false }
            note(.touched(touched, at: entry.time))
        }
        if let replaced = entry.replacement?.device.id {
            guard let row = try counters.row(replaced), !row.isBlocked else { return false }
        }
        return true
    }

    /// Whether the device's subject may have one more device, besides `pending` others of the entry.
    private func mayRegister(
        for device: Device, in entry: LedgerEntry, besides pending: Int
    ) throws(SQLiteError) -> Bool {
        guard let limit = entry.devicesPerSubject, device.subject != nil else { return true }
        let replaced: UInt32 = entry.replaces(oneOfSubjectOf: device) ? 1 : 0
        return try devices.count(ofSubjectOf: device, upTo: limit + replaced) + Int64(pending) < Int64(limit) + Int64(replaced)
    }

    /// The reason of a refusal: the first in the order that `VerdictLedger` documents. Only reads.
    private func objection(to entry: LedgerEntry) throws(SQLiteError) -> ReasonCode {
        var states: [DeviceID: CounterState] = [:]
        for device in entry.registrations {
            states[device.id] = CounterState(counter: device.counter, window: device.counterWindow)
        }
        for device in entry.advances.map(\.device) + [entry.audit.device].compactMap({ $0 }) where states[device] == nil {
            guard let row = try counters.row(device) else { return .unknownDevice }
            guard !row.isBlocked else { return .deviceBlocked }
            states[device] = row.state
        }
        if let replaced = entry.replacement?.device.id {
            guard let row = try counters.row(replaced) else { return .unknownDevice }
            guard !row.isBlocked else { return .deviceBlocked }
        }
        if try isSubjectBlocked(of: entry) { return .deviceBlocked }
        if let code = try objection(toBasisOf: entry) { return code }
        var tokens: Set<[UInt8]> = []
        for spend in entry.spends {
            if let code = try spent.objection(to: spend, at: entry.time) { return code }
            guard tokens.insert(spend.token).inserted else { return .challengeReused }
        }
        for advance in entry.advances {
            guard let state = states[advance.device] else { return .unknownDevice }
            do throws(Rejection) {
                states[advance.device] = try state.advanced(to: advance.counter, rule: advance.rule)
            } catch {
                guard let code = error.code.builtIn else { throw .damaged("a counter was refused with the code \(error.code)") }
                return code
            }
        }
        // An id or key that occurs twice in the entry counts as registered the second time.
        for (index, device) in entry.registrations.enumerated() {
            let before = entry.registrations[..<index]
            if try blocks.refuses(device) { return .deviceBlocked }
            if before.contains(where: { $0.id == device.id || $0.key == device.key }) { return .keyAlreadyRegistered }
            if try devices.contains(device) { return .keyAlreadyRegistered }
            let pending = before.count { $0.app == device.app && $0.subject == device.subject }
            if try !mayRegister(for: device, in: entry, besides: pending) { return .tooManyDevices }
        }
        if let code = try objection(toIssueOf: entry) { return code }
        throw .damaged("an entry was refused, and nothing speaks against it")
    }
}

extension LedgerEntry {
    /// The device of the verdict, if the entry neither advances its counter nor registers it. It must be registered and not blocked too.
    fileprivate var touchedDevice: DeviceID? {
        guard let device = audit.device, !advances.contains(where: { $0.device == device }),
            !registrations.contains(where: { $0.id == device })
        else { return nil }
        return device
    }
}
