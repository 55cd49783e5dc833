import AssayCore
import AssayTracing

/// Answers what judgements of live requests ask: from the ledger, the challenge keys, vendors and plugins.
struct LiveFacts: Sendable {
    let ledger: any DeviceFacts & CertificateFacts
    let keys: ChallengeKeys
    let inquiries: OutsideInquiries
    let inquiryShare: InquiryShare
    /// Whether the tag of a challenge is checked. False only where evidence is judged away from the daemon that issued its challenge, for a test
    /// of a policy: the outcome proves no freshness.
    let authenticatesChallenges: Bool

    /// The registered devices of some keys, in their order.
    func devices(_ keys: [DeviceKey]) async -> [Result<Device?, LedgerError>] { await ledger.devices(of: keys) }

    /// Answers what needs neither a store nor another process. False: it is left to ``answer(_:in:)``, which may take its time.
    func answerAtOnce(_ question: OpenJudgement.Question, in judging: inout OpenJudgement) throws(StageError) -> Bool {
        switch question {
        case .authenticity(let challenge):
            guard authenticatesChallenges else { return true }
            let keyring = keys.keyring
            guard keyring.key(challenge.keyID) != nil else { return false }
            try authenticate(challenge, of: judging.admitted, by: keyring)
            return true
        case .revocation(let source):
            let knowledge = source.knowledge(at: judging.admitted.now)
            judging.answer { _ in knowledge }
            return true
        default: return false
        }
    }

    /// Answers all questions but those with a key of a registered device, which ``devices(_:)`` answers for many requests at once, and those about
    /// attempts and earlier refusals, which are the pipeline's own.
    func answer(_ question: OpenJudgement.Question, in judging: inout OpenJudgement) async throws(StageError) {
        let admitted = judging.admitted
        switch question {
        case .authenticity(let challenge): try await authenticate(challenge, of: admitted)
        case .attempt, .earlierRefusal, .device, .locatedDevice: break
        case .attestationKeyUse(let key, let piece):
            judging.answer(
                try await readingLedger { () throws(LedgerError) in
                    try await ledger.use(ofAttestationKey: key, at: admitted.now)
                }, piece: piece)
        case .certificate(let query, let piece):
            judging.answer(try await certificate(query, of: admitted.request.app), piece: piece)
        case .deviceOfCertificate(let certificate, let piece):
            try judging.answer(
                try await readingLedger { () throws(LedgerError) in try await ledger.device(certificate.device) }, piece: piece)
        case .submissions(let device, let piece):
            judging.answer(
                submissions: try await readingLedger { () throws(LedgerError) in
                    try await ledger.submissions(of: device, at: admitted.now)
                }, piece: piece)
        case .subjectBlock(let subject):
            try judging.answer(
                subjectIsBlocked: try await readingLedger { () throws(LedgerError) in
                    try await ledger.isBlocked(subject: subject, of: admitted.request.app)
                })
        case .replacedDevice(let id):
            let device = try await readingLedger { () throws(LedgerError) in try await ledger.device(id) }
            try judging.answer(device.map { .device($0) } ?? .unknown, of: id)
        case .location(let piece): try judging.answer(await locate(piece, judging), piece: piece)
        case .outsideAnswer(let piece):
            judging.answer(await answer(about: judging.pieces[piece], of: admitted, judging.freshness), piece: piece)
        case .opinions(let piece): judging.answer(await opinions(on: judging.pieces[piece], admitted), piece: piece)
        case .revocation: _ = try answerAtOnce(question, in: &judging)
        }
    }

    // MARK: The ledger

    private func authenticate(_ challenge: Challenge, of admitted: AuthorizedRequest) async throws(StageError) {
        guard authenticatesChallenges else { return }
        if keys.keyring.key(challenge.keyID) == nil {
            do { try await keys.reload(for: challenge.keyID) } catch { throw .failed(.ledger(error)) }
        }
        try authenticate(challenge, of: admitted, by: keys.keyring)
    }

    private func authenticate(
        _ challenge: Challenge, of admitted: AuthorizedRequest, by keyring: ChallengeKeyring
    ) throws(StageError) {
        do throws(Rejection) {
            try keyring.authenticate(challenge, app: admitted.request.app, context: admitted.request.context)
        } catch {
            throw .refused(error, check: "challenge")
        }
    }

    private func certificate(
        _ query: Needs.CertificateQuery, of app: AppID
    ) async throws(StageError) -> DeviceCertificate? {
        try await readingLedger { () throws(LedgerError) in
            switch query {
            case .name(let name): try await ledger.certificate(name)
            case .key(let keyID): try await ledger.certificate(ofKey: keyID, app: app)
            }
        }
    }

    // MARK: Plugins and vendors

    private func locate(_ piece: Int, _ judging: OpenJudgement) async -> LocatedSubject {
        let (admitted, format) = (judging.admitted, judging.pieces[piece].evidence.format)
        guard let source = admitted.profile.opinionSources[format], let question = judging.opinionQuestion(about: piece) else {
            return .none
        }
        let span = admitted.trace?.root.open("plugin locate")
        let location = await source.locate(question)
        span?.end(.unset, [SpanAttribute("assay.format", format.rawValue)])
        return location
    }

    private func opinions(on piece: VerificationCase.Piece, _ admitted: AuthorizedRequest) async -> [Opinion] {
        guard let asked = piece.question else { return [] }
        let span = admitted.trace?.root.open("plugin appraise")
        let opinions = await asked.source.opinions(on: asked.question)
        span?.end(.unset, [SpanAttribute("assay.format", piece.evidence.format.rawValue)])
        return opinions
    }

    private func answer(
        about piece: VerificationCase.Piece, of admitted: AuthorizedRequest, _ freshness: Freshness?
    ) async -> OutsideAnswer {
        guard let source = admitted.profile.answerSources[piece.evidence.format] else {
            return .unavailable("no service is configured that could be asked")
        }
        let (evidence, memory) = (piece.evidence.evidence, piece.verifier.replayProtection.remembersUseFor)
        func answer() async -> OutsideAnswer {
            await inquiries.answer(
                of: source, about: evidence, of: admitted.request.app, with: freshness?.challenge, memory: memory,
                share: inquiryShare, now: admitted.now)
        }
        guard let trace = admitted.trace else { return await answer() }
        // A vendor's call is below this span if this request opened the question; the others of equal evidence wait for it.
        let span = trace.root.open("ask outside")
        let outcome = await ActiveSpan.$current.withValue(span.active) { await answer() }
        span.end(.unset, [SpanAttribute("assay.format", evidence.format.rawValue)])
        return outcome
    }
}
