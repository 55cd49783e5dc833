import AssayCore

/// A request on its way to its judgement: the rules that stand before the appraisal of evidence, in their order, each as soon as the facts that it
/// goes by are known.
///
/// ``next()`` goes on until a fact is needed and says which; the answer is given by one of the `answer` functions. It fetches nothing and changes
/// nothing: a live verdict, a replay and a shadow policy differ in who answers, and not in the rules.
struct OpenJudgement: Sendable {
    /// What has to be known before the judgement goes on. `piece` is an index of ``pieces``.
    enum Question: Sendable {
        /// Whether the challenge was issued here for the request's app and context. Only a daemon with the key can tell.
        case authenticity(Challenge)
        /// Whether the challenge may be tried once more. Only the daemon that counts the attempts can tell.
        case attempt(Challenge)
        /// Whether evidence of that ``freshness`` was refused before. Only the daemon that remembers can tell.
        case earlierRefusal
        case device(DeviceKey, piece: Int)
        case attestationKeyUse([UInt8], piece: Int)
        case certificate(Needs.CertificateQuery, piece: Int)
        /// A reference, since a certificate is long and questions are passed on often.
        indirect case deviceOfCertificate(DeviceCertificate, piece: Int)
        case submissions(DeviceID, piece: Int)
        /// The device that a plugin reads from the evidence.
        case location(piece: Int)
        case locatedDevice(DeviceKey, piece: Int)
        case subjectBlock([UInt8])
        case replacedDevice(DeviceID)
        case outsideAnswer(piece: Int)
        case opinions(piece: Int)
        /// The app's revocation list, one version for all pieces that need it.
        case revocation(any RevocationSource)
    }

    private enum Step {
        case form
        case stated
        case authenticated
        case counted
        case bound
        case evidence
        case records(piece: Int)
        case locations(piece: Int)
        case subject
        case replacement
        case oneDevice
        case outside(piece: Int)
        case opinions(piece: Int)
        case revocation
        case complete
        /// After a refusal something is unavailable that the judgement would go on with.
        case cutOff
    }

    let admitted: AuthorizedRequest
    /// The keyed hash of the subject that the request names; `nil`: it names none.
    let subject: [UInt8]?
    /// That of the request; `nil`: it has none, or its form was not checked.
    private var challenge: Challenge?
    /// Known once the challenge is.
    private(set) var freshness: Freshness?
    private(set) var pieces: [VerificationCase.Piece] = []
    /// The places of evidence that is refused by itself, and not among ``pieces``: only under a report of every failure.
    private var placesLeftOut: [Int] = []
    private var isSubjectBlocked: Bool?
    private var replaced: RequestFacts.Replaced?
    private var named = EvidenceDevice()
    private var step = Step.form
    private let report: VerdictReport
    /// Why the request is refused already, under a report of every failure.
    private(set) var refusals = EarlyRefusals()

    /// - Parameter report: `nil`: that of the request.
    init(_ admitted: AuthorizedRequest, subject: [UInt8]?, report: VerdictReport? = nil) {
        (self.admitted, self.subject) = (admitted, subject)
        self.report = report ?? admitted.request.report
    }

    /// The next fact that is needed; `nil`: all are known. Throws if the request is refused, or cannot be judged.
    mutating func next() throws(StageError) -> Question? {
        while true {
            do throws(StageError) {
                if let question = try advance() { return question }
            } catch {
                // Each step is left before it can throw.
                try keep(error)
            }
            switch step {
            case .complete, .cutOff: return nil
            default: continue
            }
        }
    }

    /// Keeps a refusal, under a report of every failure, so that the judgement can go on. Throws any other error.
    ///
    /// - Parameter piece: the piece of evidence that it is about.
    mutating func keep(_ error: StageError, piece: Int? = nil) throws(StageError) {
        guard report == .all else { throw error }
        switch error {
        case .refused(let rejection, let check, let device):
            let format = piece.flatMap { pieces.indices.contains($0) ? pieces[$0].evidence.format : nil }
            refusals.add(EarlyRefusals.Refusal(rejection: rejection, check: check, device: device, format: format))
        case .failed(let why):
            // Without the report the request was refused before this was needed.
            guard !refusals.isEmpty else { throw error }
            refusals.leaveOut(Finding.furtherChecks, because: "something that the judgement needs is unavailable: \(why.cause)")
            step = .cutOff
        case .abandoned: throw error
        }
    }

    /// The verdict over what is refused already, where there is no way to an appraisal; `nil`: nothing is.
    var refusedEarly: Verdict? {
        guard let first = refusals.first else { return nil }
        var refusals = refusals
        if freshness == nil {
            refusals.leaveOut("evidence", because: "what the device had to sign is not known")
        }
        return Verdict(refusing: admitted, first, refusals)
    }

    /// The request with its facts, once all are known. `mutating`, since a judgement that another object holds would be copied to be asked.
    mutating func prepared() -> VerificationCase? {
        guard case .complete = step, let freshness else { return nil }
        return VerificationCase(
            admitted: admitted, freshness: freshness, pieces: pieces, subject: subject, isSubjectBlocked: isSubjectBlocked,
            named: named, replaced: replaced, refusals: refusals)
    }

    /// The verdict of a request that is refused by what ends the judgement under every report.
    func ended(by rejection: Rejection, check: String, device: Device?) -> Verdict {
        let last = EarlyRefusals.Refusal(rejection: rejection, check: check, device: device, format: nil)
        var refusals = refusals
        refusals.add(last)
        refusals.leaveOut(
            Finding.furtherChecks, because: "nothing is judged of a request that is refused by the check \(check)")
        return Verdict(refusing: admitted, refusals.first ?? last, refusals)
    }

    // MARK: Steps

    private mutating func advance() throws(StageError) -> Question? {
        switch step {
        case .form:
            step = .stated
            try admitted.checkForm()
        case .stated:
            // Without a challenge that can be read it is not known what the device had to sign.
            step = .evidence
            challenge = try admitted.statedChallenge()
            step = challenge == nil ? .counted : .authenticated
            return challenge.map { .authenticity($0) }
        case .authenticated: return try checkChallenge()
        case .counted:
            step = .bound
            try admitted.checkPayload()
        case .bound:
            step = .evidence
            freshness = try Freshness(of: admitted, with: challenge)
            return .earlierRefusal
        case .evidence:
            step = .records(piece: 0)
            try locateEvidence()
        case .records(let piece):
            guard piece < pieces.count else {
                step = .locations(piece: 0)
                return nil
            }
            if let question = pieces[piece].nextRecord(of: piece, app: admitted.request.app) { return question }
            step = .records(piece: piece + 1)
        case .locations(let piece):
            guard piece < pieces.count else {
                step = .subject
                return nil
            }
            if let question = try locate(piece) { return question }
            step = .locations(piece: piece + 1)
        case .subject:
            step = .replacement
            guard let subject, !pieces.haveDevice(registeredFor: subject) else { return nil }
            return .subjectBlock(subject)
        case .replacement:
            step = .oneDevice
            if let id = admitted.request.replaces { return .replacedDevice(id) }
        case .oneDevice:
            step = .outside(piece: 0)
            do throws(Rejection) { named = try EvidenceDevice(of: pieces) } catch {
                throw .refused(error, check: DeviceAdmission.check)
            }
        case .outside, .opinions, .revocation: return askOutside()
        case .complete, .cutOff: break
        }
        return nil
    }

    private mutating func checkChallenge() throws(StageError) -> Question? {
        step = .counted
        guard let challenge else { return nil }
        guard !refusals.contains("challenge") else {
            refusals.leaveOut("challenge", because: "purpose and expiry of a challenge that is not authentic say nothing")
            return nil
        }
        try admitted.check(challenge)
        return .attempt(challenge)
    }

    private mutating func locateEvidence() throws(StageError) {
        if let lacking = admitted.lackingEvidence { try keep(lacking) }
        pieces.reserveCapacity(admitted.request.evidence.count)
        for (place, evidence) in admitted.request.evidence.enumerated() {
            do throws(Rejection) {
                pieces.append(try admitted.locate(evidence))
            } catch {
                guard report == .all else { throw .refused(error, check: "evidence") }
                placesLeftOut.append(place)
                refusals.add(
                    EarlyRefusals.Refusal(rejection: error, check: "evidence", device: nil, format: evidence.format))
            }
        }
    }

    private mutating func locate(_ piece: Int) throws(StageError) -> Question? {
        if pieces[piece].needs.opinions, !pieces[piece].lookups.contains(.location) { return .location(piece: piece) }
        if case .device(let keyID, _) = pieces[piece].location, !pieces[piece].isLocatedDeviceKnown {
            return .locatedDevice(DeviceKey(app: admitted.request.app, keyID: keyID), piece: piece)
        }
        // Made also where no plugin decides: those that are tried out are asked later.
        if let source = admitted.profile.opinionSources[pieces[piece].evidence.format],
            var question = opinionQuestion(about: piece)
        {
            (question.subject, question.device) = (pieces[piece].location, pieces[piece].device)
            pieces[piece].question = PreparedQuestion(question, source)
        }
        return nil
    }

    /// What plugins are asked about a piece of evidence, before its device is known.
    func opinionQuestion(about piece: Int) -> OpinionQuestion? {
        guard let freshness else { return nil }
        var question = OpinionQuestion(
            pieces[piece].evidence, of: admitted.request.app, for: admitted.request.purpose, binding: freshness.binding,
            requestID: admitted.requestID, now: admitted.now)
        if pieces[piece].verifier.replayProtection == .payload {
            question.signals = admitted.request.signals(thatAre: freshness.binding.payloadHash)
        }
        return question
    }

    private mutating func askOutside() -> Question? {
        // Vendors and plugins are not asked about evidence that is refused already: a question can use a token up.
        if !refusals.isEmpty, isBeforeRevocation { step = .revocation }
        switch step {
        case .outside(let piece):
            guard piece < pieces.count else {
                step = .opinions(piece: 0)
                return nil
            }
            step = .outside(piece: piece + 1)
            return pieces[piece].needs.outsideAnswer ? .outsideAnswer(piece: piece) : nil
        case .opinions(let piece):
            guard piece < pieces.count else {
                step = .revocation
                return nil
            }
            step = .opinions(piece: piece + 1)
            return pieces[piece].needs.opinions ? .opinions(piece: piece) : nil
        default:
            step = .complete
            guard let source = admitted.profile.revocation, pieces.indices.contains(where: { pieces[$0].needs.revocation })
            else { return nil }
            return .revocation(source)
        }
    }

    private var isBeforeRevocation: Bool {
        switch step {
        case .outside, .opinions: true
        default: false
        }
    }
}

extension OpenJudgement.Question {
    /// The piece of evidence that it is about; `nil`: the whole request.
    var piece: Int? {
        switch self {
        case .device(_, let piece), .attestationKeyUse(_, let piece), .certificate(_, let piece),
            .deviceOfCertificate(_, let piece), .submissions(_, let piece), .location(let piece), .locatedDevice(_, let piece),
            .outsideAnswer(let piece), .opinions(let piece):
            piece
        case .authenticity, .attempt, .earlierRefusal, .subjectBlock, .replacedDevice, .revocation: nil
        }
    }

    /// The key of the registered device that is asked for.
    var deviceKey: DeviceKey? {
        switch self {
        case .device(let key, _), .locatedDevice(let key, _): key
        default: nil
        }
    }
}

// MARK: - Answers

extension OpenJudgement {
    /// To a question with a `deviceKey`, by what the ledger says.
    mutating func answer(_ found: Result<Device?, LedgerError>, to question: Question) throws(StageError) {
        let device: Device?
        switch found {
        case .success(let some): device = some
        case .failure(let error): throw .failed(.ledger(error))
        }
        switch question {
        case .device(_, let piece): try answer(device, piece: piece)
        case .locatedDevice(_, let piece): try answer(located: device, piece: piece)
        default: break
        }
    }

    /// To `device` and `deviceOfCertificate`. Refuses a device that the request may not use.
    mutating func answer(_ device: Device?, piece: Int) throws(StageError) {
        pieces[piece].know(device)
        if let device { try admitted.check(device, subject: subject) }
    }

    /// To `locatedDevice`.
    mutating func answer(located device: Device?, piece: Int) throws(StageError) {
        pieces[piece].know(device)
        pieces[piece].isLocatedDeviceKnown = true
        try admitted.check(located: device, subject: subject)
    }

    mutating func answer(_ certificate: DeviceCertificate?, piece: Int) { pieces[piece].know(certificate) }

    mutating func answer(_ use: AttestationKeyUse, piece: Int) { pieces[piece].facts.attestationKeyUse = use }

    mutating func answer(submissions: Int64, piece: Int) { pieces[piece].facts.submissions = submissions }

    /// To `location`. Refuses evidence that the plugin cannot read.
    mutating func answer(_ location: LocatedSubject, piece: Int) throws(StageError) {
        pieces[piece].location = location
        pieces[piece].lookups.insert(.location)
        switch location {
        case .none, .device: break
        case .refused(let rejection): throw .refused(rejection, check: "evidence")
        case .unavailable(let why): throw .failed(.evidenceUnavailable(check: "plugin", detail: why))
        }
    }

    mutating func answer(subjectIsBlocked: Bool) throws(StageError) {
        isSubjectBlocked = subjectIsBlocked
        if subjectIsBlocked { throw .subjectBlocked }
    }

    mutating func answer(_ replaced: RequestFacts.Replaced, of id: DeviceID) throws(StageError) {
        // A device of another app is as unknown as one that never was, also to a recording.
        let isOwn = if case .device(let device) = replaced { device.app == admitted.request.app } else { false }
        let known = isOwn ? replaced : .unknown
        self.replaced = known
        try admitted.check(known, of: id, subject: subject)
    }

    mutating func answer(_ answer: OutsideAnswer, piece: Int) { pieces[piece].facts.outsideAnswer = answer }

    mutating func answer(_ opinions: [Opinion], piece: Int) {
        pieces[piece].facts.opinions = opinions
        pieces[piece].lookups.insert(.opinions)
    }

    /// - Parameter knowledge: what the list says for a piece.
    mutating func answer(_ knowledge: (_ piece: Int) -> RevocationKnowledge) {
        for index in pieces.indices where pieces[index].needs.revocation {
            pieces[index].facts.revocation = knowledge(index)
        }
    }

    /// What is known so far, in the order of the evidence.
    var known: RequestFacts {
        var known = pieces.map(\.known)
        for place in placesLeftOut { known.insert(RequestFacts.Piece(), at: min(place, known.count)) }
        return RequestFacts(pieces: known, subject: subject, isSubjectBlocked: isSubjectBlocked, replaced: replaced)
    }

    /// The refusal that ends the judgement here.
    func refusal(_ rejection: Rejection, check: String, device: Device?) -> Judgement.Refusal {
        let verdict = Verdict(refusing: admitted, rejection, check: check, device: device)
        // The form of evidence depends on the evidence alone, what the registry and plugins say does not.
        let restsOnEvidence = freshness != nil && check == "evidence" && admitted.profile.opinionSources.isEmpty
        return Judgement.Refusal(verdict: verdict, basis: restsOnEvidence ? .evidence : .moment)
    }
}

extension VerificationCase.Piece {
    /// The next record that the evidence needs.
    fileprivate mutating func nextRecord(of piece: Int, app: AppID) -> OpenJudgement.Question? {
        if let keyID = needs.deviceKeyID, !lookups.contains(.device) {
            return .device(DeviceKey(app: app, keyID: keyID), piece: piece)
        }
        if let key = needs.attestationKey, facts.attestationKeyUse == nil { return .attestationKeyUse(key, piece: piece) }
        if let query = needs.certificate {
            if !lookups.contains(.certificate) { return .certificate(query, piece: piece) }
            // That the certificate is one of the app's, and of the device that the evidence names, is the verifier's to check.
            if let found = facts.certificate, found.app == app, !lookups.contains(.device) {
                return .deviceOfCertificate(found, piece: piece)
            }
        }
        if needs.submissions, facts.submissions == nil, let device { return .submissions(device.id, piece: piece) }
        return nil
    }

    fileprivate mutating func know(_ device: Device?) {
        facts.device = device
        lookups.insert(.device)
    }

    fileprivate mutating func know(_ certificate: DeviceCertificate?) {
        facts.certificate = certificate
        lookups.insert(.certificate)
    }
}
