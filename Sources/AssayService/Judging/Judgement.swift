import AssayCore

/// What the rules decide about a request over the facts that are known of it. Nothing is asked, spent or changed by it.
///
/// All rules are asked through here: by live verdicts, the replay of recorded verdicts, shadow policies and tests of policies.
enum Judgement: Sendable {
    case accepted(DecidedRequest)
    case rejected(Refusal)
    /// Something is not known that the evidence has to be checked with. A check and a sentence.
    case open(check: String, String)

    struct Refusal: Sendable {
        let verdict: Verdict
        /// What the refusal rests on, so that it holds for other requests too.
        let basis: Basis
    }

    /// What a refusal depends on, beside the policy and its revocation list.
    enum Basis: Sendable {
        /// Also on what can change meanwhile.
        case moment
        /// On the request and the device's key alone.
        case request
        /// On the evidence alone.
        case evidence
    }

    /// Judges a request over facts that are known already. What is not known leaves the judgement open.
    ///
    /// What only a live verdict knows is taken for granted: that the challenge was issued here, was not tried too often and is not spent.
    static func of(_ admitted: AuthorizedRequest, over known: RequestFacts) -> Judgement {
        switch Preparation(of: admitted, over: known) {
        case .ended(let judgement): judgement
        case .prepared(let prepared): prepared.judgement(of: prepared.appraise())
        }
    }

    /// What is decided about a request before its evidence is appraised; `nil`: it has to be appraised.
    static func beforeAppraisal(of admitted: AuthorizedRequest, over known: RequestFacts) -> Judgement? {
        if case .ended(let judgement) = Preparation(of: admitted, over: known) { judgement } else { nil }
    }
}

/// How far a judgement comes without an appraisal.
private enum Preparation {
    case prepared(VerificationCase)
    case ended(Judgement)

    init(of admitted: AuthorizedRequest, over known: RequestFacts) {
        var judging = OpenJudgement(admitted, subject: known.subject, report: .first)
        do throws(StageError) {
            while let question = try judging.next() { try judging.answer(question, from: known) }
            self = judging.prepared().map { .prepared($0) } ?? .ended(.open(check: "daemon", "the judgement has no end"))
        } catch {
            switch error {
            case .refused(let rejection, let check, let device):
                self = .ended(.rejected(judging.refusal(rejection, check: check, device: device)))
            case .failed(.evidenceUnavailable(let check, let detail)): self = .ended(.open(check: check, detail))
            case .failed(let error): self = .ended(.open(check: "daemon", "\(error)"))
            case .abandoned: self = .ended(.open(check: "daemon", "no answer"))
            }
        }
    }
}

/// A request that the policy accepts, before its step and its commit.
package final class DecidedRequest: Sendable {
    let prepared: VerificationCase
    let verdict: Verdict
    let assurance: Assurance
    let appraisals: [Appraisal]
    let changes: VerificationCase.Changes
    /// The device that is registered now, or that the evidence comes from.
    let device: Device?

    init(
        prepared: VerificationCase, verdict: Verdict, assurance: Assurance, appraisals: [Appraisal],
        changes: VerificationCase.Changes, device: Device?
    ) {
        (self.prepared, self.verdict, self.assurance) = (prepared, verdict, assurance)
        (self.appraisals, self.changes, self.device) = (appraisals, changes, device)
    }
}

extension OpenJudgement {
    /// Answers a question from facts that are known. Fails for one that is not.
    fileprivate mutating func answer(_ question: Question, from known: RequestFacts) throws(StageError) {
        switch question {
        case .authenticity, .attempt, .earlierRefusal: break
        case .subjectBlock:
            guard let isBlocked = known.isSubjectBlocked else { throw .unknownFact("registry") }
            try answer(subjectIsBlocked: isBlocked)
        case .replacedDevice(let id):
            guard let replaced = known.replaced else { throw .unknownFact("registry") }
            try answer(replaced, of: id)
        case .revocation:
            let pieces = known.pieces
            answer { piece in piece < pieces.count ? pieces[piece].facts.revocation : .notConsultedThen }
        case .device(_, let piece), .attestationKeyUse(_, let piece), .certificate(_, let piece),
            .deviceOfCertificate(_, let piece), .submissions(_, let piece), .location(let piece),
            .locatedDevice(_, let piece), .outsideAnswer(let piece), .opinions(let piece):
            guard piece < known.pieces.count else { throw .unknownFact("evidence") }
            try answer(question, of: piece, from: known.pieces[piece])
        }
    }

    private mutating func answer(
        _ question: Question, of piece: Int, from known: RequestFacts.Piece
    ) throws(StageError) {
        func needed<Fact>(_ fact: Fact?, _ check: String) throws(StageError) -> Fact {
            guard let fact else { throw .unknownFact(check) }
            return fact
        }
        let facts = known.facts
        switch question {
        case .device, .deviceOfCertificate:
            guard known.lookups.contains(.device) else { throw .unknownFact(DeviceAdmission.check) }
            try answer(facts.device, piece: piece)
        case .locatedDevice:
            guard known.lookups.contains(.device) else { throw .unknownFact(DeviceAdmission.check) }
            try answer(located: facts.device, piece: piece)
        case .certificate:
            guard known.lookups.contains(.certificate) else { throw .unknownFact("certificate") }
            answer(facts.certificate, piece: piece)
        case .attestationKeyUse:
            answer(try needed(facts.attestationKeyUse, "attestation_key_use"), piece: piece)
        case .submissions: answer(submissions: try needed(facts.submissions, "submissions"), piece: piece)
        case .location:
            guard known.lookups.contains(.location) else { throw .unknownFact("plugin") }
            if let refusal = known.locationRefusal {
                try answer(LocatedSubject.refused(refusal), piece: piece)
            } else {
                let key = known.locatedKeyID ?? facts.device?.registration.keyID
                try answer(key.map { LocatedSubject.device(keyID: $0, subjectKey: []) } ?? .none, piece: piece)
            }
        case .outsideAnswer: answer(try needed(facts.outsideAnswer, "outside_answer"), piece: piece)
        case .opinions:
            guard known.lookups.contains(.opinions) else { throw .unknownFact("plugin") }
            answer(facts.opinions, piece: piece)
        case .authenticity, .attempt, .earlierRefusal, .subjectBlock, .replacedDevice, .revocation: break
        }
    }
}

extension RevocationKnowledge {
    fileprivate static let notConsultedThen = Self.unavailable("the list was not consulted at that time")
}

extension StageError {
    fileprivate static func unknownFact(_ check: String) -> StageError {
        .failed(
            .evidenceUnavailable(
                check: check, detail: "the policy in force did not need this, so that it was not fetched"))
    }
}
