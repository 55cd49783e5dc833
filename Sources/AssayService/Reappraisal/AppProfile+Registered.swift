import AssayCore

extension AppProfile {
    /// A digest of what registered devices are judged by: the app's policy and anchors, and the version of its revocation list.
    func judgingState(at now: Timestamp) -> [UInt8] {
        var hash = FieldDigest("assay.judging-state.v1")
        hash.append(policyDigest)
        switch revocation?.knowledge(at: now) {
        case .snapshot(let list)?: hash.append("\(list.feed.name) \(list.feed.id)")
        case .unavailable?: hash.append("unavailable")
        case .notConsulted?, nil: hash.append("none")
        }
        return hash.finalize()
    }

    /// Whether the app's revocation list is missing or too old.
    func isRevocationListMissing(at now: Timestamp) -> Bool {
        if case .unavailable? = revocation?.knowledge(at: now) { true } else { false }
    }

    /// Why every later evidence of a registered device would be refused, as far as that follows from what the ledger has; `nil`: nothing does.
    /// A blocked device is not judged: its block was told.
    func finding(of device: Device, at now: Timestamp) -> DeviceFinding? {
        guard !device.isBlocked, let appraiser = deviceAppraisers[device.registration.format] else { return nil }
        let facts = Facts(device: device, revocation: revocation?.knowledge(at: now) ?? .notConsulted)
        let appraisal = Appraisal.build(device.registration.format) { appraisal throws(Rejection) in
            try appraiser.judgeRecord(
                device, in: AppraisalContext(binding: .inEvidence, facts: facts, now: now), &appraisal)
        }
        // As in a request: failures first, then what rests on test roots.
        if let failure = appraisal.failure {
            return DeviceFinding(
                code: failure.code, check: failure.check, detail: failure.detail, policyDigest: policyDigest,
                feed: appraisal.feeds.first)
        }
        guard acceptsSimulated || !(appraisal.simulated || device.registration.simulated) else {
            let refused = Rejection.simulatedNotAccepted
            return DeviceFinding(
                code: refused.code.rawValue, check: "simulated", detail: refused.detail, policyDigest: policyDigest,
                feed: appraisal.feeds.first)
        }
        return nil
    }
}
