import AssayCore
import AssayTracing

/// Locates what each piece of evidence needs and fetches it. Refuses a request that the registry refuses.
struct FactFetcher: Sendable {
    let ledger: any DeviceFacts & CertificateFacts
    let subjects: SubjectKey
    let inquiries: OutsideInquiries
    let inquiryShare: InquiryShare

    func fetch(_ admitted: AuthorizedRequest, _ fresh: Freshness.Outcome) async throws(StageError) -> VerificationCase {
        let subject = subject(of: admitted.request)
        try checkTogether(admitted)
        // Cheap checks of all pieces come first: no source is asked about a piece if another one is refused.
        var pieces: [VerificationCase.Piece] = []
        for evidence in admitted.request.evidence { pieces.append(try locate(evidence, admitted)) }
        for index in pieces.indices { try await look(up: &pieces[index], admitted, subject: subject) }
        if !admitted.profile.opinionSources.isEmpty {
            for index in pieces.indices { try await locateOutside(&pieces[index], admitted, fresh, subject: subject) }
        }
        try await checkSubject(subject, of: pieces, admitted)
        let replaced = try await replacedDevice(admitted, subject: subject)
        let named: EvidenceDevice
        do throws(Rejection) { named = try EvidenceDevice(of: pieces) } catch {
            throw .refused(error, check: DeviceAdmission.check)
        }
        for index in pieces.indices where pieces[index].needs.outsideAnswer {
            await ask(about: &pieces[index], admitted, fresh)
        }
        for index in pieces.indices { await consult(about: &pieces[index], admitted) }
        addRevocation(to: &pieces, admitted)
        return VerificationCase(admitted: admitted, pieces: pieces, subject: subject, named: named, replaced: replaced)
    }

    /// The keyed hash of the subject that a request names; `nil` where it names none.
    func subject(of request: VerificationRequest) -> [UInt8]? { subjects.hash(request.subject, app: request.app) }

    /// Refuses a registration without a kind of evidence that the app requires together with the given ones.
    private func checkTogether(_ admitted: AuthorizedRequest) throws(StageError) {
        guard admitted.request.purpose == .register, !admitted.profile.requiredTogether.isEmpty else { return }
        let given = Set(admitted.request.evidence.map(\.format))
        // An app of two platforms does not require of one what it requires of the other.
        guard !given.isDisjoint(with: admitted.profile.requiredTogether),
            let missing = admitted.profile.requiredTogether.subtracting(given).map(\.rawValue).min()
        else { return }
        throw .refused(Rejection(.evidenceMissing, "the app requires \(missing) too"), check: "evidence")
    }

    /// Refuses a request whose subject is blocked, whatever the evidence. Needs no query if a device is registered for the subject,
    /// because the device would be blocked too.
    private func checkSubject(
        _ subject: [UInt8]?, of pieces: [VerificationCase.Piece], _ admitted: AuthorizedRequest
    ) async throws(StageError) {
        guard let subject, !pieces.contains(where: { $0.device?.subject == subject }) else { return }
        try await ledger.refuseBlocked(subject: subject, of: admitted.request.app)
    }

    /// What the evidence needs, without I/O.
    private func locate(_ evidence: Evidence, _ admitted: AuthorizedRequest) throws(StageError) -> VerificationCase.Piece {
        guard let verifier = admitted.profile.verifiers[evidence.format],
            verifier.purposes.contains(admitted.request.purpose)
        else {
            throw .refused(
                admitted.profile.discontinuedFormats.contains(evidence.format)
                    ? Rejection(.providerDeprecated, "the provider of \(evidence.format) was turned off")
                    : Rejection(.formatNotAccepted, "the app does not accept \(evidence.format) for this purpose"),
                check: "evidence")
        }
        do {
            let bounded = try verifier.bounded(evidence)
            return VerificationCase.Piece(evidence: bounded, verifier: verifier, needs: try verifier.locate(bounded))
        } catch {
            throw .refused(error, check: "evidence")
        }
    }

    /// Fetches what the registry has for a piece of evidence, and checks it.
    private func look(
        up piece: inout VerificationCase.Piece, _ admitted: AuthorizedRequest, subject: [UInt8]?
    ) async throws(StageError) {
        if let keyID = piece.needs.deviceKeyID {
            do {
                piece.facts.device = try await ledger.device(DeviceKey(app: admitted.request.app, keyID: keyID))
            } catch { throw .failed(.ledger(error)) }
            if let device = piece.facts.device { try Registry.check(device, for: admitted, subject: subject) }
        }
        if let key = piece.needs.attestationKey {
            do {
                piece.facts.attestationKeyUse = try await ledger.use(ofAttestationKey: key, at: admitted.now)
            } catch { throw .failed(.ledger(error)) }
        }
        if let query = piece.needs.certificate { try await look(up: query, for: &piece, admitted, subject: subject) }
        if piece.needs.submissions, let device = piece.facts.device {
            do { piece.facts.submissions = try await ledger.submissions(of: device.id, at: admitted.now) } catch {
                throw .failed(.ledger(error))
            }
        }
    }

    /// Fetches a certificate, and its device unless the evidence names a device by its key. That the certificate is one of the app's, and
    /// of that device, is the verifier's to check.
    private func look(
        up query: Needs.CertificateQuery, for piece: inout VerificationCase.Piece, _ admitted: AuthorizedRequest,
        subject: [UInt8]?
    ) async throws(StageError) {
        let app = admitted.request.app
        do throws(LedgerError) {
            let found =
                switch query {
                case .name(let name): try await ledger.certificate(name)
                case .key(let keyID): try await ledger.certificate(ofKey: keyID, app: app)
                }
            piece.facts.certificate = found
            guard let found, found.app == app, piece.needs.deviceKeyID == nil else { return }
            piece.facts.device = try await ledger.device(found.device)
        } catch {
            throw .failed(.ledger(error))
        }
        if let device = piece.facts.device { try Registry.check(device, for: admitted, subject: subject) }
    }

    // MARK: Plugins

    /// Asks the plugin of a format which of its devices the evidence is about, and looks the device up.
    private func locateOutside(
        _ piece: inout VerificationCase.Piece, _ admitted: AuthorizedRequest, _ fresh: Freshness.Outcome, subject: [UInt8]?
    ) async throws(StageError) {
        guard let source = admitted.profile.opinionSources[piece.evidence.format] else { return }
        var question = OpinionQuestion(
            piece.evidence, of: admitted.request.app, for: admitted.request.purpose, binding: fresh.binding,
            requestID: admitted.requestID, now: admitted.now)
        if piece.needs.opinions {
            let span = admitted.trace?.root.open("plugin locate")
            question.subject = await source.locate(question)
            span?.end(.unset, [SpanAttribute("assay.format", piece.evidence.format.rawValue)])
        }
        switch question.subject {
        case .none: break
        case .refused(let rejection): throw .refused(rejection, check: "evidence")
        case .unavailable(let why): throw .failed(.evidenceUnavailable(check: "plugin", detail: why))
        case .device(let keyID, _):
            do {
                piece.facts.device = try await ledger.device(DeviceKey(app: admitted.request.app, keyID: keyID))
            } catch { throw .failed(.ledger(error)) }
            try Registry.check(located: piece.facts.device, for: admitted, subject: subject)
        }
        question.device = piece.facts.device
        piece.question = (question, source)
    }

    private func consult(about piece: inout VerificationCase.Piece, _ admitted: AuthorizedRequest) async {
        guard piece.needs.opinions, let (question, source) = piece.question else { return }
        let span = admitted.trace?.root.open("plugin appraise")
        piece.facts.opinions = await source.opinions(on: question)
        span?.end(.unset, [SpanAttribute("assay.format", piece.evidence.format.rawValue)])
    }

    /// One version of the app's list for all pieces that need it.
    private func addRevocation(to pieces: inout [VerificationCase.Piece], _ admitted: AuthorizedRequest) {
        guard let source = admitted.profile.revocation, pieces.contains(where: { $0.needs.revocation }) else { return }
        let knowledge = source.knowledge(at: admitted.now)
        for index in pieces.indices where pieces[index].needs.revocation { pieces[index].facts.revocation = knowledge }
    }

    private func ask(about piece: inout VerificationCase.Piece, _ admitted: AuthorizedRequest, _ fresh: Freshness.Outcome) async
    {
        guard let source = admitted.profile.answerSources[piece.evidence.format] else {
            piece.facts.outsideAnswer = .unavailable("no service is configured that could be asked")
            return
        }
        let (evidence, memory) = (piece.evidence.evidence, piece.verifier.replayProtection.remembersUseFor)
        func answer() async -> OutsideAnswer {
            await inquiries.answer(
                of: source, about: evidence, of: admitted.request.app, with: fresh.challenge, memory: memory,
                share: inquiryShare, now: admitted.now)
        }
        guard let trace = admitted.trace else {
            piece.facts.outsideAnswer = await answer()
            return
        }
        // A vendor's call is below this span if this request opened the question; the others of equal evidence wait for it.
        let span = trace.root.open("ask outside")
        piece.facts.outsideAnswer = await ActiveSpan.$current.withValue(span.active) { await answer() }
        span.end(.unset, [SpanAttribute("assay.format", evidence.format.rawValue)])
    }
}

extension DeviceFacts {
    /// Refuses a subject that is blocked.
    func refuseBlocked(subject: [UInt8], of app: AppID) async throws(StageError) {
        let isBlocked: Bool
        do { isBlocked = try await self.isBlocked(subject: subject, of: app) } catch { throw .failed(.ledger(error)) }
        guard !isBlocked else { throw .refused(ReasonCode.deviceBlocked.rejection, check: DeviceAdmission.check) }
    }
}

/// What the registry has to say before the evidence of a known device is looked at: cheap, so it comes first.
enum Registry {
    static func check(_ device: Device, for admitted: AuthorizedRequest, subject: [UInt8]?) throws(StageError) {
        do throws(Rejection) { try admission(of: admitted, subject: subject).check(device) } catch {
            throw .refused(error, check: DeviceAdmission.check, device: device)
        }
    }

    /// - Parameter device: that of the name which a plugin read from the evidence; `nil`: none is registered under it.
    static func check(
        located device: Device?, for admitted: AuthorizedRequest, subject: [UInt8]?
    ) throws(StageError) {
        do throws(Rejection) {
            try admission(of: admitted, subject: subject).check(located: device, for: admitted.request.purpose)
        } catch {
            throw .refused(error, check: DeviceAdmission.check, device: device)
        }
    }

    private static func admission(of admitted: AuthorizedRequest, subject: [UInt8]?) -> DeviceAdmission {
        DeviceAdmission(
            expected: admitted.request.expectedDevice, subject: subject, acceptsSimulated: admitted.profile.acceptsSimulated)
    }
}
