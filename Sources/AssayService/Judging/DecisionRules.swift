import AssayCore

/// The rules over appraised evidence.
extension VerificationCase {
    /// What the policy decides over the appraisals of the request's evidence.
    func judgement(of appraisals: [Appraisal]) -> Judgement {
        if let first = refusals.first { return .refused(refused(first, appraisals)) }
        let (decision, known) = (Decision(appraisals), knownDevice?.id)
        if !decision.isRejection, admitted.profile.refusesAsSimulated(appraisals) {
            // Comes before unavailable checks: their results could not make this evidence acceptable.
            let verdict = verdict(.accepted(.none), appraisals, device: known)
            return .refused(verdict.rejected(.simulatedNotAccepted, check: "simulated", device: known))
        }
        switch decision {
        case .unavailable(let check, let detail): return .open(check: check, detail)
        case .reject(let rejection, let check):
            let verdict = verdict(.rejected(rejection, check: check), appraisals, device: known)
            return .rejected(
                Judgement.Refusal(verdict: verdict.adding(furtherFindings(appraisals)), basis: basis(of: appraisals)))
        case .accept(let assurance): return accepted(assurance, appraisals)
        }
    }

    // MARK: Every failure

    private var reportsAll: Bool { admitted.request.report == .all }

    /// The verdict on a request that was refused before its evidence was appraised: the appraisals add what else is wrong.
    private func refused(_ first: EarlyRefusals.Refusal, _ appraisals: [Appraisal]) -> Verdict {
        let isOneOfSeveral = admitted.request.evidence.count > 1
        let found = appraisals.flatMap { appraisal in
            isOneOfSeveral ? appraisal.findings.map { $0.prefixed(appraisal.format) } : appraisal.findings
        }
        return Verdict(refusing: admitted, first, refusals, further: found + furtherFindings(appraisals))
    }

    /// What a report of every failure has beside the findings of the evidence; nothing under any other.
    private func furtherFindings(_ appraisals: [Appraisal]) -> [Finding] {
        guard reportsAll else { return [] }
        var findings: [Finding] = []
        let isAuthentic = appraisals.contains { $0.simulated && $0.failure == nil }
        if isAuthentic, admitted.profile.refusesAsSimulated(appraisals), !refusals.all.contains(where: \.isAboutSimulation) {
            findings.append(.fail("simulated", .simulatedNotAccepted))
        }
        findings.append(
            .unchecked(
                "commit",
                "the device of an acceptance, its confidence, and whether it was accepted before are judged of good evidence alone"
            ))
        return findings
    }

    /// The rules for what an acceptance would be about.
    private func accepted(_ assurance: Assurance, _ appraisals: [Appraisal]) -> Judgement {
        // The form is right; a piece that could bind a payload may say after all that it is only a supplement.
        if appraisals.contains(where: \.isPart), !isBound(appraisals) {
            let rejection = Rejection(.payloadNotBound, "no evidence that supports the assurance binds the payload")
            return .refused(verdict(.rejected(rejection, check: "binding"), appraisals, device: knownDevice?.id))
        }
        let changes = changes(appraisals)
        let device: Device?
        do throws(Rejection) {
            device = try decidedDevice(appraisals, changes)
        } catch {
            return .refused(verdict(.rejected(error, check: DeviceAdmission.check), appraisals, device: nil))
        }
        let objections = objections(to: changes, about: device)
        if let (rejection, check) = objections.first {
            let named = check == DeviceAdmission.check ? device?.id : nil
            let refused = verdict(.rejected(rejection, check: check), appraisals, device: named)
            guard reportsAll else { return .refused(refused) }
            var further = objections.map { Finding.fail($0.check, $0.0) }
            further.append(.unchecked(Finding.confidenceCheck, "confidence is made of accepted evidence alone"))
            return .refused(refused.adding(further))
        }
        let verdict = verdict(.accepted(assurance), appraisals, device: device?.id, registration: device?.registration)
        if let confidence = verdict.confidence, let refusal = admitted.refusal(of: confidence) {
            return .refused(verdict.rejected(refusal, check: Finding.confidenceCheck, device: knownDevice?.id))
        }
        return .accepted(
            DecidedRequest(
                prepared: self, verdict: verdict, assurance: assurance, appraisals: appraisals, changes: changes,
                device: device))
    }

    /// Why the request is not served by what an acceptance would change, each with its check, in documented order.
    private func objections(to changes: Changes, about device: Device?) -> [(Rejection, check: String)] {
        let request = admitted.request
        var objections: [(Rejection, check: String)] = []
        if request.purpose == .register, changes.registrations.isEmpty {
            objections.append((Rejection(.evidenceMissing, "nothing that was given registers a device"), "evidence"))
        }
        // Evidence that names no device does not match the expected device.
        if let expected = request.expectedDevice, expected != device?.id {
            let found = device.map { "of \($0.id)" } ?? "of no registered device"
            objections.append(
                (Rejection(.deviceMismatch, "the evidence is \(found), the request expects \(expected)"), DeviceAdmission.check)
            )
        }
        return objections
    }

    // MARK: What a refusal rests on

    private func basis(of appraisals: [Appraisal]) -> Judgement.Basis {
        guard restsOnRequest else { return .moment }
        return restsOnEvidence(appraisals) ? .evidence : .request
    }

    /// Whether the appraisal rests on the request, the configuration, the revocation list and the device's key alone.
    private var restsOnRequest: Bool {
        pieces.allSatisfy { !$0.needs.outsideAnswer && !$0.needs.opinions && $0.question == nil && $0.needs.certificate == nil }
    }

    /// Whether a rejection of this appraisal rests on the one piece of evidence alone: nothing was compared with what the request binds.
    private func restsOnEvidence(_ appraisals: [Appraisal]) -> Bool {
        guard pieces.count == 1, appraisals.count == 1, let piece = pieces.first, piece.device == nil,
            let bindingCheck = piece.verifier.bindingCheck
        else { return false }
        return !appraisals[0].findings.contains { $0.check == bindingCheck }
    }
}

extension Judgement {
    fileprivate static func refused(_ verdict: Verdict) -> Judgement {
        .rejected(Refusal(verdict: verdict, basis: .moment))
    }
}

extension EarlyRefusals.Refusal {
    fileprivate var isAboutSimulation: Bool { rejection.code == .simulatedNotAccepted }
}

extension AppProfile {
    /// Whether evidence that rests on a test root is refused for that. What is rejected anyway is rejected for its own reason.
    func refusesAsSimulated(_ appraisals: [Appraisal]) -> Bool { !acceptsSimulated && appraisals.contains(where: \.simulated) }
}
