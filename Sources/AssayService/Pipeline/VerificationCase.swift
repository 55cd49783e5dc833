import AssayCore

/// A request with all facts that were fetched for it, ready to be judged without I/O.
struct VerificationCase: Sendable {
    struct Piece: Sendable {
        let evidence: BoundedEvidence
        let verifier: any EvidenceVerifier
        /// What the verifier needs.
        let needs: Needs
        /// What was fetched of it.
        var facts = Facts()

        init(evidence: BoundedEvidence, verifier: any EvidenceVerifier, needs: Needs) {
            (self.evidence, self.verifier, self.needs) = (evidence, verifier, needs)
        }

        /// The registered device that the evidence says it comes from.
        var device: Device? { facts.device }
    }

    /// What an acceptance changes in the registry.
    struct Changes: Sendable {
        var registrations: [Device] = []
        var advances: [LedgerEntry.Advance] = []
    }

    let admitted: AuthorizedRequest
    let pieces: [Piece]
    /// Keyed hash of the caller's subject.
    let subject: [UInt8]?

    /// The known device, if the evidence is of one.
    var device: DeviceID? { pieces.lazy.compactMap(\.device?.id).first }

    /// The subject whose block the commit has to look for: `nil` where the device was registered for it, whose own state says
    /// whether it is blocked.
    var subjectToRecheck: [UInt8]? {
        guard let subject, !pieces.contains(where: { $0.device?.subject == subject }) else { return nil }
        return subject
    }

    func appraise(under fresh: Freshness.Outcome) -> [Appraisal] {
        guard pieces.count > 1, pieces.contains(where: { $0.verifier.relation == .boundToAttestedKey }) else {
            return pieces.map { appraise($0, bound: fresh.binding) }
        }
        return appraiseTogether(fresh)
    }

    func appraise(_ piece: Piece, bound binding: Binding, beside key: AttestedKey? = nil) -> Appraisal {
        piece.verifier.appraise(
            piece.evidence,
            in: AppraisalContext(binding: binding, facts: piece.facts, attestedKey: key, now: admitted.now))
    }

    func changes(_ appraisals: [Appraisal]) -> Changes {
        var changes = Changes()
        for appraisal in appraisals {
            switch appraisal.effect {
            case .none: continue
            case .register(let registration):
                changes.registrations.append(
                    Device(
                        id: .random(), app: admitted.request.app, subject: subject, registration: registration,
                        registeredAt: admitted.now))
            case .advance(let device, let counter, let rule):
                changes.advances.append(LedgerEntry.Advance(device: device, counter: counter, rule: rule))
            }
        }
        return changes
    }

    /// Each version once.
    private func feeds(of appraisals: [Appraisal]) -> [FeedVersion] {
        guard appraisals.contains(where: { !$0.feeds.isEmpty }) else { return [] }
        var feeds: [FeedVersion] = []
        for feed in appraisals.flatMap(\.feeds) where !feeds.contains(feed) { feeds.append(feed) }
        return feeds
    }

    func verdict(
        _ decision: Verdict.Decision, _ appraisals: [Appraisal], _ binding: Binding, device: DeviceID?
    ) -> Verdict {
        var findings: [Finding] = []
        findings.reserveCapacity(appraisals.reduce(3) { $0 + $1.findings.count })
        findings.append(binding.mode == .callerOwned ? .callerVouches : .pass("challenge"))
        findings.append(.pass("binding"))
        if let device = pieces.lazy.compactMap(\.device).first, device.subject == nil, subject != nil {
            findings.append(.note("registry", "subject_not_registered", "the device was registered without a subject"))
        }
        var claims = Claims()
        if let only = appraisals.first, appraisals.count == 1 {
            findings += only.findings
            claims = only.claims
        } else {
            for appraisal in appraisals {
                findings += appraisal.findings.map { $0.prefixed(appraisal.format) }
                claims.add(contentsOf: appraisal.claims.prefixed(appraisal.format))
            }
        }
        return Verdict(
            decision: decision, findings: findings, claims: claims, device: device, binding: binding,
            evidenceDigest: admitted.evidenceDigest, policyDigest: admitted.profile.policyDigest,
            feeds: feeds(of: appraisals), simulated: appraisals.contains(where: \.simulated), requestID: admitted.requestID,
            decidedAt: admitted.now)
    }
}

extension Verdict {
    /// A request that was refused without appraising its evidence.
    convenience init(refusing admitted: AuthorizedRequest, _ rejection: Rejection, check: String, device: Device?) {
        self.init(
            decision: .rejected(rejection, check: check), findings: [.fail(check, rejection)], claims: Claims(),
            device: device?.id,
            binding: nil, evidenceDigest: admitted.evidenceDigest, policyDigest: admitted.profile.policyDigest,
            simulated: device?.registration.simulated ?? (rejection.code == .simulatedNotAccepted),
            requestID: admitted.requestID, decidedAt: admitted.now)
    }
}

extension Finding {
    fileprivate static let callerVouches = Finding(
        check: "challenge", outcome: .skipped, code: "caller_owned", detail: "the caller answers for freshness")

    fileprivate func prefixed(_ format: EvidenceFormat) -> Finding {
        Finding(check: "\(format)/\(check)", outcome: outcome, code: code, detail: detail, retry: retry)
    }
}

extension Claims {
    fileprivate func prefixed(_ format: EvidenceFormat) -> Claims {
        Claims(all.map { Claim(name: "\(format)/\($0.name)", value: $0.value) })
    }
}
