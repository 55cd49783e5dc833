import AssayAPI
package import AssayCore

/// Judges what was recorded of a verdict again, under a candidate policy of its app, at the recorded time.
///
/// Kept evidence is judged wholly, by the steps of the pipeline over the facts of that time. Without it only registered devices are judged, by
/// the claims of their registration: what the candidate states otherwise and claims do not show is never taken for unchanged.
package struct RecordingTrial: Sendable {
    package enum Outcome: Hashable, Sendable {
        case judged(VerdictDifference, byEvidence: Bool)
        case notJudged(Obstacle)
    }

    /// Why a recording cannot be judged again.
    package enum Obstacle: Hashable, Sendable {
        /// Rejected by what no policy states, such as a used challenge. The check.
        case noPolicyDecision(check: String)
        /// Refused before its evidence was appraised, such as evidence of a format that the app did not accept. The check.
        case refusedEarly(check: String)
        /// The candidate states a setting otherwise whose effect claims do not show. The setting.
        case needsEvidence(key: String)
        /// A fact that the candidate needs is not recorded. The check.
        case factMissing(check: String)
    }

    private let candidate: AppProfile
    /// The settings that the candidate states otherwise than the policy that judged, as keys of a policy's text.
    private let changed: [String]
    /// Whether claims show the effect of a setting.
    private let isShown: @Sendable (String) -> Bool

    package init(
        _ candidate: AppProfile, changed: [String], isShownByClaims: @escaping @Sendable (String) -> Bool
    ) {
        (self.candidate, self.changed, isShown) = (candidate, changed, isShownByClaims)
    }

    package func judge(_ recording: Recording, evidence: RecordedEvidence?) -> Outcome {
        guard let before = TrialOutcome(recording.record) else { return .notJudged(.refusedEarly(check: "daemon")) }
        let check = recording.record.reason?.check ?? ""
        guard !recording.pieces.isEmpty || (recording.isPolicyDecision && evidence != nil) else {
            return .notJudged(.refusedEarly(check: check))
        }
        guard recording.isPolicyDecision else { return .notJudged(.noPolicyDecision(check: check)) }
        func judged(_ after: TrialOutcome, byEvidence: Bool) -> Outcome {
            if case .unjudged(let check, _) = after { return .notJudged(.factMissing(check: check)) }
            let request = recording.record.request
            return .judged(
                VerdictDifference(
                    requestID: request.id, time: request.time, app: request.app, device: recording.record.device,
                    before: before, after: after), byEvidence: byEvidence)
        }
        if let evidence { return judged(outcome(of: evidence, recording.record.request), byEvidence: true) }
        switch outcome(of: recording, before) {
        case .success(let after): return judged(after, byEvidence: false)
        case .failure(let obstacle): return .notJudged(obstacle)
        }
    }

    // MARK: By evidence

    private func outcome(of evidence: RecordedEvidence, _ asked: VerdictRecord.Request) -> TrialOutcome {
        let admitted = AuthorizedRequest(
            request: evidence.request, profile: candidate, caller: Caller(name: "policy-replay", roles: [.verify], apps: nil),
            now: asked.time, requestID: asked.id)
        var known = evidence.known
        for index in known.pieces.indices {
            known.pieces[index].facts.revocation = list(known.pieces[index].facts.revocation)
        }
        return TrialOutcome(Judgement.of(admitted, over: known))
    }

    /// The recorded list, as far as the candidate looks at it.
    private func list(_ recorded: RevocationKnowledge) -> RevocationKnowledge {
        guard candidate.revocation != nil else { return .notConsulted }
        guard !changed.isEmpty else { return recorded }
        guard recorded != .notConsulted, !changed.contains(where: { $0.hasSuffix(".revocation") }) else {
            return .unavailable("the list that the candidate looks at was not consulted at that time")
        }
        return recorded
    }

    // MARK: By claims

    private func outcome(of recording: Recording, _ before: TrialOutcome) -> Result<TrialOutcome, Obstacle> {
        let request = recording.record.request
        if let refusal = refusal(of: request) { return .success(.rejected(refusal, check: "evidence")) }
        var appraisals: [Appraisal] = []
        for piece in recording.pieces {
            var facts = piece.facts
            facts.revocation = list(facts.revocation)
            guard let device = facts.device, let appraisal = candidate.appraisal(ofRecord: facts, at: request.time) else {
                continue
            }
            if !candidate.acceptsSimulated, device.registration.simulated, !piece.registers {
                return .success(.rejected(.simulatedNotAccepted, check: DeviceAdmission.check))
            }
            do throws(Rejection) { try candidate.deviceFlags.check(device, at: request.time) } catch {
                return .success(.rejected(error, check: DeviceAdmission.check))
            }
            appraisals.append(appraisal)
        }
        let isWhole = appraisals.count == recording.pieces.count
        switch TrialOutcome(appraisals, under: candidate) {
        case .rejected(let rejection, let check) where !appraisals.isEmpty:
            let finding = Finding.fail(check, rejection)
            // A registration shows its receipt or its age itself: its claims do not say what the candidate would have found.
            if let key = key(of: finding, in: request), !isShown(key), changed.contains(where: { !isShown($0) }) {
                return .failure(.needsEvidence(key: key))
            }
            return .success(.rejected(rejection, check: check))
        case .unjudged(let check, _) where !appraisals.isEmpty: return .failure(.factMissing(check: check))
        case .accepted(let assurance):
            return accepted(isWhole ? assurance : nil, appraisals, before)
        case .rejected, .unjudged: return accepted(nil, appraisals, before)
        }
    }

    /// What is decided where claims show nothing against it.
    ///
    /// - Parameter assurance: `nil`: it cannot be told.
    private func accepted(
        _ assurance: Assurance?, _ appraisals: [Appraisal], _ before: TrialOutcome
    ) -> Result<TrialOutcome, Obstacle> {
        let hidden = changed.first { !isShown($0) }
        switch before {
        case .accepted(let level):
            // A piece that claims say nothing of is judged by settings of which none changed.
            if let hidden { return .failure(.needsEvidence(key: hidden)) }
            return .success(.accepted(assurance ?? level))
        case .rejected(let rejection, let check):
            // With several pieces a check has the name of its format before it.
            let name = check.split(separator: "/").last.map(String.init) ?? check
            // The candidate would have rejected a flag before it came to this.
            let passes =
                rejection.code == FailureCode(.deviceFlagged)
                || appraisals.contains { $0.findings.contains { $0.check == name && $0.outcome != .fail } }
            if passes || (name == "simulated" && !appraisals.isEmpty), let assurance { return .success(.accepted(assurance)) }
            // What a rejected registration stated is not kept, so that any change might lift the rejection.
            if let key = hidden ?? (assurance == nil ? changed.first : nil) { return .failure(.needsEvidence(key: key)) }
            return .success(before)
        case .unjudged(let check, _): return .failure(.factMissing(check: check))
        }
    }

    /// Evidence that the candidate does not accept, or not alone.
    private func refusal(of request: VerdictRecord.Request) -> Rejection? {
        for format in request.formats where candidate.unavailableFormats[format] == nil {
            do { _ = try candidate.verifier(of: format, for: request.purpose) } catch { return error }
        }
        return candidate.objection(toEvidenceOf: request.formats, for: request.purpose)
    }

    /// The key of a policy's text that decides a check.
    private func key(of finding: Finding, in request: VerdictRecord.Request) -> String? {
        let prefix = "apps.\(candidate.id)."
        guard let key = candidate.policyKeys.key(of: finding, in: request.formats), key.hasPrefix(prefix) else { return nil }
        return String(key.dropFirst(prefix.count))
    }
}

extension RecordingTrial.Obstacle: Error {}

extension TrialOutcome {
    /// `nil` for a call that was not judged.
    fileprivate init?(_ record: VerdictRecord) {
        switch record.decision {
        case .accepted: self = .accepted(record.assurance)
        case .rejected:
            guard let reason = record.reason else { return nil }
            self = .rejected(
                Rejection(FailureCode(rawValue: reason.code) ?? .malformed, reason.sentence, retry: reason.retry),
                check: reason.check)
        case .unjudged: return nil
        }
    }
}
