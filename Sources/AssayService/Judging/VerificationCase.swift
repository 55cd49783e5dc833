import AssayCore

/// A request with all facts that were fetched for it, ready to be judged without I/O. A class, since it goes through all stages of a verdict.
final class VerificationCase: Sendable {
    struct Piece: Sendable {
        let evidence: BoundedEvidence
        let verifier: any EvidenceVerifier
        /// What the verifier needs.
        let needs: Needs
        /// What was fetched of it.
        var facts = Facts()
        /// What was looked up and asked for it.
        var lookups = RequestFacts.Lookups.none
        /// The device that a plugin read from it.
        var location = LocatedSubject.none
        /// What plugins are asked about it, and who asks them.
        var question: PreparedQuestion?
        /// Whether the device that a plugin read from it was looked up.
        var isLocatedDeviceKnown = false

        init(evidence: BoundedEvidence, verifier: any EvidenceVerifier, needs: Needs) {
            (self.evidence, self.verifier, self.needs) = (evidence, verifier, needs)
        }

        /// Whether a vendor or a plugin is asked about it.
        var asksOutside: Bool { needs.outsideAnswer || needs.opinions }

        /// The registered device that the evidence says it comes from.
        var device: Device? { facts.device }

        var known: RequestFacts.Piece {
            RequestFacts.Piece(
                facts: facts, lookups: lookups, locatedKeyID: locatedKeyID, locationRefusal: locationRefusal)
        }
    }

    /// What an acceptance changes in the registry.
    struct Changes: Sendable {
        var registrations: [Device] = []
        var advances: [LedgerEntry.Advance] = []
        /// The certificate that the evidence rests on.
        var restsOn: CertificateName?
        var submission: LedgerEntry.Submission?
        /// What is used up of the evidence.
        var uses: [EvidenceUse] = []
    }

    let admitted: AuthorizedRequest
    /// With the uses of the statements that the evidence makes.
    let freshness: Freshness
    let pieces: [Piece]
    /// Keyed hash of the caller's subject.
    let subject: [UInt8]?
    /// The device that all pieces are of.
    let named: EvidenceDevice
    /// The registered device that the evidence is of.
    let knownDevice: Device?
    /// `nil`: that was not looked up.
    private let isSubjectBlocked: Bool?
    /// The device that is retired if the request registers one.
    let replacement: LedgerEntry.Replacement?
    /// Why the request is refused already. Then the evidence is appraised for what else is wrong, and nothing is accepted.
    let refusals: EarlyRefusals

    init(
        admitted: AuthorizedRequest, freshness: consuming Freshness, pieces: [Piece], subject: [UInt8]?,
        isSubjectBlocked: Bool?, named: EvidenceDevice, replaced: RequestFacts.Replaced?,
        refusals: EarlyRefusals = EarlyRefusals()
    ) {
        self.refusals = refusals
        (self.admitted, self.pieces, self.named) = (admitted, pieces, named)
        knownDevice = named.knownIndex.flatMap { pieces[$0].device }
        (self.subject, self.isSubjectBlocked) = (subject, isSubjectBlocked)
        replacement =
            if case .device(let device)? = replaced {
                LedgerEntry.Replacement(device, reason: "replaced by another registration")
            } else {
                nil
            }
        if freshness.binding.mode == .inEvidence { freshness.add(pieces.compactMap(\.needs.statement), of: admitted) }
        self.freshness = freshness
    }

    var binding: Binding { freshness.binding }

    /// What is known of the request.
    var known: RequestFacts {
        RequestFacts(
            pieces: pieces.map(\.known), subject: subject, isSubjectBlocked: isSubjectBlocked,
            replaced: replacement.map { .device($0.device) })
    }

    /// The subject whose block the commit has to look for: `nil` where the device was registered for it, whose own state says
    /// whether it is blocked.
    var subjectToRecheck: [UInt8]? {
        guard let subject, !pieces.haveDevice(registeredFor: subject) else { return nil }
        return subject
    }

    func appraise() -> [Appraisal] {
        guard pieces.count > 1, pieces.contains(where: { $0.verifier.relation == .boundToAttestedKey }) else {
            return pieces.indices.map { appraise(at: $0, bound: binding) }
        }
        return appraiseTogether()
    }

    /// - Parameter index: that of the piece. A piece itself is long, and would be copied.
    private func appraise(at index: Int, bound binding: Binding, beside key: AttestedKey? = nil) -> Appraisal {
        guard refusals.isEmpty || !pieces[index].asksOutside else {
            var unasked = Appraisal(format: pieces[index].evidence.format)
            unasked.findings = [
                .unchecked("evidence", "neither a vendor nor a plugin is asked about a request that is refused already")
            ]
            return unasked
        }
        return pieces[index].verifier.appraise(
            pieces[index].evidence,
            in: AppraisalContext(
                binding: binding, facts: pieces[index].facts, attestedKey: key, now: admitted.now,
                report: admitted.request.report, reading: pieces[index].needs.reading.value))
    }

    /// Lets plugins that are tried out judge the same.
    func compare(_ appraisals: [Appraisal]) {
        for (index, appraisal) in zip(pieces.indices, appraisals) {
            guard let asked = pieces[index].question else { continue }
            asked.source.compare(asked.question, with: appraisal)
        }
    }

    func changes(_ appraisals: [Appraisal]) -> Changes {
        var changes = Changes()
        // By index, as below: an iterator would copy each appraisal, which is long.
        for index in appraisals.indices {
            if let name = appraisals[index].restsOn { changes.restsOn = name }
            if let submission = appraisals[index].submission { changes.submission = submission }
            if !appraisals[index].uses.isEmpty { changes.uses += appraisals[index].uses }
            switch appraisals[index].effect {
            case .none: continue
            case .register(let registration):
                changes.registrations.append(
                    Device(
                        id: .random(), app: admitted.request.app, subject: subject, registration: registration,
                        registeredAt: admitted.now))
            case .advance(let device, let counter, let rule):
                changes.advances.append(
                    LedgerEntry.Advance(device: device, counter: counter, rule: rule, seen: counterState(of: device)))
            }
        }
        return changes
    }

    /// As it was read.
    private func counterState(of device: DeviceID) -> CounterState? {
        // By field: a record is long, and a copy of it dear.
        for index in pieces.indices where pieces[index].facts.device?.id == device {
            guard let counter = pieces[index].facts.device?.counter, let window = pieces[index].facts.device?.counterWindow
            else { continue }
            return CounterState(counter: counter, window: window)
        }
        return nil
    }

    /// Each version once.
    private func feeds(of appraisals: [Appraisal]) -> [FeedVersion] {
        guard appraisals.indices.contains(where: { !appraisals[$0].feeds.isEmpty }) else { return [] }
        var feeds: [FeedVersion] = []
        for feed in appraisals.flatMap(\.feeds) where !feeds.contains(feed) { feeds.append(feed) }
        return feeds
    }

    /// - Parameter registration: the key of the device, for an acceptance.
    func verdict(
        _ decision: Verdict.Decision, _ appraisals: [Appraisal], device: DeviceID?, registration: Registration? = nil
    ) -> Verdict {
        var findings: [Finding] = []
        findings.reserveCapacity(appraisals.indices.reduce(2) { $0 + appraisals[$1].findings.count })
        switch binding.mode {
        case .clientData, .embedded: findings.append(.pass("challenge"))
        case .callerOwned: findings.append(.callerVouches)
        case .inEvidence: findings.append(.statement)
        }
        findings.append(.pass("binding"))
        if subject != nil, let device = knownDevice, device.subject == nil {
            findings.append(.note("registry", "subject_not_registered", "the device was registered without a subject"))
        }
        if knownDevice?.flags.isEmpty == false, let device = knownDevice,
            let flagged = Finding.flagged(device, at: admitted.now)
        {
            findings.append(flagged)
        }
        if let replaced = replacement?.device, case .accepted = decision { findings.append(.replaced(replaced)) }
        var claims = Claims()
        if appraisals.count == 1 {
            findings += appraisals[0].findings
            claims = appraisals[0].claims
        } else {
            for appraisal in appraisals {
                findings += appraisal.findings.map { $0.prefixed(appraisal.format) }
                claims.add(contentsOf: appraisal.claims.prefixed(appraisal.format))
            }
        }
        let confidence = admitted.assessesConfidence ? assessConfidence(under: decision, appraisals, &findings) : nil
        return Verdict(
            decision: decision, findings: findings, claims: claims, device: device, binding: binding,
            evidenceDigest: admitted.evidenceDigest, policyDigest: admitted.profile.policyDigest,
            feeds: feeds(of: appraisals), simulated: appraisals.indices.contains { appraisals[$0].simulated },
            requestID: admitted.requestID, decidedAt: admitted.now, confidence: confidence,
            formats: pieces.indices.map { pieces[$0].evidence.format }, registration: registration)
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
            requestID: admitted.requestID, decidedAt: admitted.now,
            confidence: admitted.confidenceRule.map { .rejected($0.profile) })
    }
}

extension Finding {
    fileprivate static let callerVouches = Finding(
        check: "challenge", outcome: .skipped, code: "caller_owned", detail: "the caller answers for freshness")

    fileprivate static let statement = Finding(
        check: "challenge", outcome: .skipped, code: "in_evidence", detail: "the evidence is a statement of its own")

    func prefixed(_ format: EvidenceFormat) -> Finding {
        var prefixed = Finding(check: "\(format)/\(check)", outcome: outcome, code: code, detail: detail, retry: retry)
        prefixed.vendorCode = vendorCode
        return prefixed
    }
}

extension Claims {
    fileprivate func prefixed(_ format: EvidenceFormat) -> Claims {
        Claims(all.map { Claim(name: "\(format)/\($0.name)", value: $0.value) })
    }
}

/// Evidence of several kinds in one request, some of which is bound to a key that another piece attests.
extension VerificationCase {
    /// Appraises the pieces that are bound to the request alone, then those that are bound to the key that one of them attests.
    fileprivate func appraiseTogether() -> [Appraisal] {
        var appraisals: [Appraisal?] = pieces.indices.map { index in
            pieces[index].verifier.relation == .boundToAttestedKey ? nil : appraise(at: index, bound: binding)
        }
        let attesting = appraisals.lazy.compactMap { $0 }.first { Self.attests($0) }
        for index in pieces.indices where appraisals[index] == nil {
            appraisals[index] = attesting.map { appraise(at: index, boundTo: $0) } ?? appraise(at: index, bound: binding)
        }
        return appraisals.compactMap { $0 }
    }

    /// Whether a piece attests a key, or failed and might have attested one.
    private static func attests(_ appraisal: Appraisal) -> Bool {
        if case .register = appraisal.effect { return true }
        return appraisal.attestedKey != nil || appraisal.failure != nil
    }

    /// The payload of a piece that is bound to an attested key is that key's digest.
    private func appraise(at index: Int, boundTo attesting: Appraisal) -> Appraisal {
        let format = pieces[index].evidence.format
        guard attesting.failure == nil, let key = attesting.attestedKey else {
            var skipped = Appraisal(format: format)
            skipped.isSupplement = true
            let why = "the key that it is to be bound to is not attested"
            skipped.findings = [
                admitted.request.report == .all
                    ? .unchecked("evidence", why) : Finding(check: "evidence", outcome: .skipped, detail: why)
            ]
            return skipped
        }
        let request = admitted.request
        guard binding.mode == .clientData,
            let clientData = ClientData(
                purpose: request.purpose, challenge: request.challenge, payload: key.publicKeySHA256)
        else {
            return Appraisal.build(format, report: request.report) { (appraisal) throws(Rejection) in
                try appraisal.require(
                    "binding", false, else: .bindingNotAllowed,
                    "evidence beside an attested key is bound by Assay's client data")
            }
        }
        return appraise(at: index, bound: Binding(clientData), beside: key)
    }
}

extension [VerificationCase.Piece] {
    /// Whether one is of a device that was registered for the subject: such a device is blocked where its subject is.
    func haveDevice(registeredFor subject: [UInt8]) -> Bool {
        indices.contains { self[$0].device?.subject?.equals(subject) ?? false }
    }
}

/// What plugins are asked about a piece of evidence, and who asks them. Few pieces have one.
final class PreparedQuestion: Sendable {
    let question: OpinionQuestion
    let source: any OpinionSource

    init(_ question: OpinionQuestion, _ source: any OpinionSource) { (self.question, self.source) = (question, source) }
}
