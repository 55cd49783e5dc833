import AssayCore

/// Judging a request again under another policy of its app, over the facts that were fetched for it. Nothing is asked, and nothing changes.
extension VerificationCase {
    /// What the request's own policy decides over the appraisals of its evidence.
    func outcome(of appraisals: [Appraisal], _ binding: Binding) -> TrialOutcome {
        let outcome = TrialOutcome(appraisals, under: admitted.profile)
        guard case .accepted = outcome else { return outcome }
        let changes = changes(appraisals)
        let device: Device?
        do throws(Rejection) {
            device = try decidedDevice(appraisals, changes)
        } catch {
            return .rejected(error, check: DeviceAdmission.check)
        }
        guard admitted.request.purpose != .register || !changes.registrations.isEmpty else {
            return .rejected(Rejection(.evidenceMissing, "nothing that was given registers a device"), check: "evidence")
        }
        guard admitted.confidenceRule != nil else { return outcome }
        let verdict = verdict(.accepted(.none), appraisals, binding, device: device?.id)
        guard let confidence = verdict.confidence, let refusal = admitted.refusal(of: confidence) else { return outcome }
        return .rejected(refusal, check: Finding.confidenceCheck)
    }

    /// What another policy decides.
    ///
    /// - Parameter list: what the other policy's list of revoked certificates says; `nil`: what the request's own did.
    func outcome(
        under profile: AppProfile, bound binding: Binding, revocation list: RevocationKnowledge? = nil
    ) -> TrialOutcome {
        let facts = pieces.map { piece in
            var facts = piece.facts
            if let list { facts.revocation = list }
            return facts
        }
        return Self.outcome(of: admitted.under(profile), facts, bound: binding)
    }

    /// What the policy of a request decides over facts that are known.
    ///
    /// - Parameter facts: of each piece of evidence, in order.
    static func outcome(of admitted: AuthorizedRequest, _ facts: [Facts], bound binding: Binding) -> TrialOutcome {
        let profile = admitted.profile
        do throws(Rejudging.End) {
            try Rejudging.checkForm(of: admitted)
            var pieces: [Piece] = []
            for (evidence, facts) in zip(admitted.request.evidence, facts) {
                pieces.append(try Piece(evidence, facts, under: admitted))
            }
            if !profile.acceptsSimulated, pieces.contains(where: { $0.device?.registration.simulated ?? false }) {
                throw .outcome(.rejected(.simulatedNotAccepted, check: DeviceAdmission.check))
            }
            let named: EvidenceDevice
            do throws(Rejection) {
                named = try EvidenceDevice(of: pieces)
            } catch {
                throw .outcome(.rejected(error, check: DeviceAdmission.check))
            }
            let prepared = VerificationCase(admitted: admitted, pieces: pieces, subject: nil, named: named)
            let fresh = Freshness.Outcome(binding: binding, challenge: nil, spends: [], repeatableUntil: admitted.now)
            return prepared.outcome(of: prepared.appraise(under: fresh), binding)
        } catch {
            switch error {
            case .outcome(let outcome): return outcome
            }
        }
    }
}

/// The rules of an app that stand before the appraisal of evidence.
private enum Rejudging {
    /// The outcome is known early.
    enum End: Error { case outcome(TrialOutcome) }

    static func checkForm(of again: AuthorizedRequest) throws(End) {
        let (request, profile) = (again.request, again.profile)
        for piece in request.evidence {
            if let why = profile.unavailableFormats[piece.format] { throw .outcome(.unjudged(check: "plugin", why)) }
        }
        let given = Set(request.evidence.map(\.format))
        if request.purpose == .register, !given.isDisjoint(with: profile.requiredTogether),
            let missing = profile.requiredTogether.subtracting(given).map(\.rawValue).min()
        {
            throw .outcome(
                .rejected(Rejection(.evidenceMissing, "the app requires \(missing) too"), check: "evidence"))
        }
        switch request.binding {
        case .clientData, .embedded:
            do throws(StageError) {
                _ = try Freshness.binding(again)
            } catch {
                guard case .refused(let rejection, let check, _) = error else {
                    throw .outcome(.unjudged(check: "binding", "the binding cannot be told"))
                }
                throw .outcome(.rejected(rejection, check: check))
            }
        case .callerOwned:
            guard profile.binding.callerOwned != nil else {
                throw .outcome(
                    .rejected(
                        Rejection(.bindingNotAllowed, "a caller-owned binding is not allowed here"), check: "binding"))
            }
        case .inEvidence: break
        }
    }
}

extension VerificationCase.Piece {
    /// The piece with the policy's verifier. Ends for a fact that it needs and that is not known.
    fileprivate init(_ evidence: Evidence, _ facts: Facts, under admitted: AuthorizedRequest) throws(Rejudging.End) {
        let format = evidence.format
        guard let verifier = admitted.profile.verifiers[format], verifier.purposes.contains(admitted.request.purpose) else {
            throw .outcome(
                .rejected(
                    Rejection(.formatNotAccepted, "the app does not accept \(format) for this purpose"), check: "evidence"))
        }
        do throws(Rejection) {
            let bounded = try verifier.bounded(evidence)
            self.init(evidence: bounded, verifier: verifier, needs: try verifier.locate(bounded))
        } catch {
            throw .outcome(.rejected(error, check: "evidence"))
        }
        self.facts = facts
        if !needs.revocation { self.facts.revocation = .notConsulted }
        if let missing = needs.missing(in: facts) {
            throw .outcome(.unjudged(check: missing, "the policy in force did not need this, so that it was not fetched"))
        }
    }
}

extension Needs {
    /// The name of something that is needed and that was not fetched; `nil` if there is nothing.
    fileprivate func missing(in facts: Facts) -> String? {
        if attestationKey != nil, facts.attestationKeyUse == nil { return "attestation_key_use" }
        if outsideAnswer, facts.outsideAnswer == nil { return "outside_answer" }
        if opinions, facts.opinions.isEmpty { return "plugin" }
        if submissions, facts.submissions == nil, facts.device != nil { return "submissions" }
        return nil
    }
}
