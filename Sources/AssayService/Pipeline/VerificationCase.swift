import AssayCore

/// A request with everything that was fetched for it, ready to be judged without I/O.
struct VerificationCase: Sendable {
    struct Piece: Sendable {
        let evidence: Evidence
        let verifier: any EvidenceVerifier
        /// What the verifier needs to have fetched.
        let lookup: Lookup
        /// The registered device that the evidence says it comes from.
        var device: Device?
        var attestationKeyUse: AttestationKeyUse?
        var vendor: OutsideAnswer?

        init(evidence: Evidence, verifier: any EvidenceVerifier, lookup: Lookup) {
            (self.evidence, self.verifier, self.lookup) = (evidence, verifier, lookup)
        }
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
        var revocation = RevocationKnowledge.notConsulted
        if let source = admitted.profile.revocation, pieces.contains(where: \.verifier.consultsRevocation) {
            revocation = source.knowledge(at: admitted.now)
        }
        guard pieces.count > 1, pieces.contains(where: \.verifier.leansOnAttestedKey) else {
            return pieces.map { appraise($0, bound: fresh.binding, revocation) }
        }
        return appraiseTogether(fresh, revocation)
    }

    func appraise(
        _ piece: Piece, bound binding: Binding, _ revocation: RevocationKnowledge, beside key: AttestedKey? = nil
    ) -> Appraisal {
        piece.verifier.appraise(
            piece.evidence,
            in: AppraisalContext(
                binding: binding, device: piece.device, revocation: revocation,
                devicesOfAttestationKey: piece.attestationKeyUse, vendor: piece.vendor, attestedKey: key, now: admitted.now))
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

extension AuthorizedRequest {
    /// The digest of the one piece of evidence, or SHA-256 over the digests of several.
    var evidenceDigest: [UInt8] {
        if request.evidence.count == 1, let only = request.evidence.first { return only.digest }
        var hash = FieldDigest("assay.evidence-list.v1")
        for piece in request.evidence { hash.append(piece.digest) }
        return hash.finalize()
    }
}

extension Finding {
    fileprivate static let callerVouches = Finding(
        check: "challenge", outcome: .skipped, code: "caller_owned", detail: "the caller answers for freshness")

    fileprivate func prefixed(_ format: EvidenceFormat) -> Finding {
        Finding(check: "\(format)/\(check)", outcome: outcome, code: code, detail: detail)
    }
}

extension Claims {
    fileprivate func prefixed(_ format: EvidenceFormat) -> Claims {
        Claims(all.map { Claim(name: "\(format)/\($0.name)", value: $0.value) })
    }
}
