import AssayCore

/// The rules over appraised evidence.
extension VerificationCase {
    /// What the policy decides over the appraisals of the request's evidence.
    func judgement(of appraisals: [Appraisal]) -> Judgement {
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
            return .rejected(Judgement.Refusal(verdict: verdict, basis: basis(of: appraisals)))
        case .accept(let assurance): return accepted(assurance, appraisals)
        }
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
        if let (rejection, check) = objection(to: changes, about: device) {
            let named = check == DeviceAdmission.check ? device?.id : nil
            return .refused(verdict(.rejected(rejection, check: check), appraisals, device: named))
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

    /// Why the request is not served by what an acceptance would change, with the check.
    private func objection(to changes: Changes, about device: Device?) -> (Rejection, check: String)? {
        let request = admitted.request
        guard request.purpose != .register || !changes.registrations.isEmpty else {
            return (Rejection(.evidenceMissing, "nothing that was given registers a device"), "evidence")
        }
        // Evidence that names no device does not match the expected device.
        guard let expected = request.expectedDevice, expected != device?.id else { return nil }
        let found = device.map { "of \($0.id)" } ?? "of no registered device"
        return (
            Rejection(.deviceMismatch, "the evidence is \(found), the request expects \(expected)"), DeviceAdmission.check
        )
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

extension AppProfile {
    /// Whether evidence that rests on a test root is refused for that. What is rejected anyway is rejected for its own reason.
    func refusesAsSimulated(_ appraisals: [Appraisal]) -> Bool { !acceptsSimulated && appraisals.contains(where: \.simulated) }
}
