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

    /// The appraisal of a registered device by its record alone; `nil` for a device whose format the app does not judge.
    func appraisal(ofRecord facts: Facts, at now: Timestamp) -> Appraisal? {
        guard let device = facts.device, let appraiser = deviceAppraisers[device.registration.format] else { return nil }
        var appraisal = Appraisal.build(device.registration.format) { appraisal throws(Rejection) in
            try appraiser.judgeRecord(
                device, in: AppraisalContext(binding: .inEvidence, facts: facts, now: now), &appraisal)
        }
        if device.registration.simulated { appraisal.simulated = true }
        return appraisal
    }

    /// What judging a registered device by its record alone comes to.
    enum RecordJudgement {
        /// The app does not judge devices of its format.
        case notJudged
        case passed
        /// Every later evidence of the device would be refused.
        case failed(DeviceFinding)
    }

    /// What follows from what the ledger has for every later evidence of a registered device, apart from blocks.
    func judgement(ofRecord device: Device, at now: Timestamp) -> RecordJudgement {
        let facts = Facts(device: device, revocation: revocation?.knowledge(at: now) ?? .notConsulted)
        guard let appraisal = appraisal(ofRecord: facts, at: now) else { return .notJudged }
        func failed(_ code: String, _ check: String, _ detail: String) -> RecordJudgement {
            .failed(
                DeviceFinding(
                    code: code, check: check, detail: detail, policyDigest: policyDigest, feed: appraisal.feeds.first))
        }
        // As in a request: failures first, then what rests on test roots.
        if let failure = appraisal.failure { return failed(failure.code, failure.check, failure.detail) }
        guard refusesAsSimulated([appraisal]) else { return .passed }
        let refused = Rejection.simulatedNotAccepted
        return failed(refused.code.rawValue, "simulated", refused.detail)
    }

    /// Why every later evidence of a registered device would be refused, as far as that follows from what the ledger has; `nil`: nothing does.
    /// A blocked device has none: its block was told.
    func finding(of device: Device, at now: Timestamp) -> DeviceFinding? {
        guard !device.isBlocked, case .failed(let finding) = judgement(ofRecord: device, at: now) else { return nil }
        return finding
    }
}
