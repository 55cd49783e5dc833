import AssayAPI
package import AssayCore
import SwiftProtobuf

/// Gives verdicts on live requests: fetches the facts that their judgement asks for, appraises the evidence, decides, and commits what is accepted.
///
/// Requests come in small groups, and those of a group that are to be accepted join one commit together. The rules are those of ``Judgement``; what
/// the pipeline adds is what a live verdict takes and gives back (``Reservations``). It knows nothing of calls: the caller of ``judge(_:)`` maps
/// the answers to its protocol.
package struct VerificationPipeline: Sendable {
    private let subjects: SubjectKey
    private let facts: LiveFacts
    private let reservations: Reservations
    private let stored: StoredVerdicts
    private let commits: AcceptanceCommit
    private let reporting: RejectionReporting
    private let equals = EqualRequests()
    private let stages: StageTimes
    private let measures: EvidenceMeasures
    private let indexing: VerdictIndexing?
    private let followers: VerdictFollowers?

    /// - Parameters:
    ///   - lookups: the keys under which verdicts are kept for look-ups; `nil`: none are.
    ///   - followers: what goes on with requests of apps that are recorded or have a shadow policy; `nil`: nothing does.
    ///   - revoked: called after a registration that may have revoked certificates of the device that it replaces. Never waits.
    ///   - authenticatesChallenges: false only for a policy's tests, which have no key of the daemon that issued the challenges.
    package init(
        ledger: any VerdictLedger, keys: ChallengeKeys, subjects: SubjectKey, attempts: ChallengeAttempts,
        memory: EvidenceUseLimit, inquiries: OutsideInquiries = OutsideInquiries(),
        inquiryShare: InquiryShare = InquiryShare(apps: 1, callLimit: 64), stages: StageTimes = StageTimes(),
        measures: EvidenceMeasures = EvidenceMeasures(), rates: RateLimits? = nil, refusals: RefusalMemory? = nil,
        lookups: PayloadKeys? = nil,
        followers: VerdictFollowers? = nil, revoked: @escaping @Sendable () -> Void = {}, authenticatesChallenges: Bool = true
    ) {
        (self.stages, self.measures, self.followers) = (stages, measures, followers)
        self.subjects = subjects
        indexing = lookups.map(VerdictIndexing.init)
        facts = LiveFacts(
            ledger: ledger, keys: keys, inquiries: inquiries, inquiryShare: inquiryShare,
            authenticatesChallenges: authenticatesChallenges)
        reservations = Reservations(attempts: attempts, rates: rates, refusals: refusals, memory: memory)
        stored = StoredVerdicts(ledger: ledger, subjects: subjects)
        commits = AcceptanceCommit(ledger: ledger, revoked: revoked)
        reporting = RejectionReporting(ledger: ledger, subjects: subjects, reservations: reservations)
    }

    /// One answer for each request, in order. Equal requests under one idempotency key, in this group or another, are judged once.
    package func judge(_ requests: [AuthorizedRequest]) async -> [Answer] {
        guard requests.contains(where: { $0.idempotency != nil }) else { return await judgeEach(requests) }
        var joined: [(index: Int, pending: EqualRequests.Pending)] = []
        for (index, admitted) in requests.enumerated() {
            if let asked = admitted.idempotency, let pending = equals.join(asked) { joined.append((index, pending)) }
        }
        var first = requests
        for (index, _) in joined.reversed() { first.remove(at: index) }
        var answers = await judgeEach(first)
        for (admitted, answer) in zip(first, answers) {
            if let asked = admitted.idempotency { equals.settle(asked, answer) }
        }
        // Waits only after this group's own answers are settled, because other groups may wait for them.
        for (index, pending) in joined {
            answers.insert(await answer(to: requests[index], equalTo: pending), at: index)
        }
        return answers
    }

    /// The answer to a request that is equal to one in progress.
    private func answer(to admitted: AuthorizedRequest, equalTo pending: EqualRequests.Pending) async -> Answer {
        let other = await pending.answer
        switch other {
        case .completed, .reported: break
        case .verdict(let verdict):
            guard case .accepted = verdict.decision else { return .verdict(verdict.answering(admitted.requestID)) }
        case .repeated: break
        case .failed: return other
        // The other request was abandoned and not judged, so this one is.
        case .abandoned: return await judge([admitted]).first ?? .abandoned
        }
        // Read from the ledger, because a block may have been set between that commit and this request.
        do throws(StageError) {
            if let answer = try await stored.answer(to: admitted) { return answer }
        } catch {
            return Answer(error, to: admitted)
        }
        // The stored verdict was forgotten since, with its device or for lack of space: this request is judged by its evidence.
        return await judge([admitted]).first ?? .abandoned
    }

    /// The group goes through the stages together: what a stage needs stays in the processor's caches for all of it.
    private func judgeEach(_ requests: [AuthorizedRequest]) async -> [Answer] {
        var watch = StageTimes.Watch(stages, requests)
        let group = requests.map { LiveRequest($0) }
        await prepare(group)
        watch.ended(.prepare)
        for live in group { appraise(live) }
        watch.ended(.appraise)
        for live in group { decide(live) }
        for live in group where live.admitted.step != nil { await perform(live) }
        watch.ended(.decide)
        for live in group {
            // Only under an idempotency key is an answer found again.
            guard live.admitted.idempotency != nil, case .ended(let answer) = live.stage else { continue }
            if let other = await stored.winner(over: answer, to: live.admitted) { live.stage = .ended(other) }
        }
        await commit(group, &watch)
        if requests.contains(where: { $0.profile.enforcement.reports }) { await reporting.report(group) }
        if let followers, requests.contains(where: { $0.profile.isFollowed }) {
            followers.judged(group.map { JudgedRequest($0.admitted, $0.answer, $0.followed?.known, $0.followed?.appraised) })
        }
        return group.map(\.answer)
    }

    /// The one place where a request comes to its answer.
    private func end(_ live: LiveRequest, _ answer: Answer) {
        reservations.settle(live.taken, of: live.admitted, by: answer)
        live.stage = .ended(answer)
    }

    private func end(_ live: LiveRequest, by interruption: StageError) {
        end(live, Answer(interruption, to: live.admitted))
    }

    // MARK: Stages

    /// A request on its way to its appraisal. A class, since a judgement is long, and is passed from step to step.
    private final class OpenRequest {
        let live: LiveRequest
        var judging: OpenJudgement
        /// The registered device that it waits for: a question with a `deviceKey`.
        var device: OpenJudgement.Question?
        /// What else has to be asked, which takes time.
        var question: OpenJudgement.Question?

        init(_ live: LiveRequest, _ judging: consuming OpenJudgement) { (self.live, self.judging) = (live, judging) }
    }

    /// Goes through the rules that stand before the appraisal, and fetches the facts that they and the appraisal need. The registered devices
    /// that requests of the group ask for are read together: each read may be a trip to a database.
    ///
    /// Most requests ask for nothing else that takes time: they enter no function that may suspend, which costs more than a rule.
    private func prepare(_ group: [LiveRequest]) async {
        var waiting: [OpenRequest] = []
        waiting.reserveCapacity(group.count)
        for live in group {
            let admitted = live.admitted
            let request = OpenRequest(
                live, OpenJudgement(admitted, subject: subjects.hash(admitted.request.subject, app: admitted.request.app)))
            guard !admitted.isAbandoned() else {
                stop(request, by: .abandoned)
                continue
            }
            if admitted.idempotency != nil, await wasAnswered(request) { continue }
            begin(request)
            if request.question != nil { await ask(request) }
            if request.device != nil { waiting.append(request) }
        }
        while !waiting.isEmpty {
            var devices = await facts.devices(waiting.compactMap { $0.device?.deviceKey })
            // Taken out of the array in the order of the requests: a record is long, and a copy of it dear.
            devices.reverse()
            for request in waiting {
                proceed(request, with: devices.popLast() ?? .failure(.noAnswer))
                if request.question != nil { await ask(request) }
            }
            waiting.removeAll { $0.device == nil }
        }
    }

    /// Whether the request has its answer because an equal one was accepted before, or because that cannot be told.
    private func wasAnswered(_ request: OpenRequest) async -> Bool {
        do throws(StageError) {
            guard let answer = try await stored.answer(to: request.live.admitted) else { return false }
            end(request.live, answer)
        } catch {
            stop(request, by: error)
        }
        return true
    }

    /// Begins the judgement of a request, and goes on as far as ``proceed(_:with:)``.
    private func begin(_ request: OpenRequest) {
        let (live, admitted) = (request.live, request.live.admitted)
        do throws(StageError) {
            if let unbound = admitted.unbound { throw .failed(unbound) }
            if let refused = try reservations.earlierRefusal(of: admitted, &live.taken) {
                note(request)
                return end(live, .verdict(refused))
            }
        } catch {
            return stop(request, by: error)
        }
        proceed(request, with: nil)
    }

    /// Goes on until the request is prepared or ended, or asks for what takes time.
    ///
    /// - Parameter device: the answer to the question for a device; `nil` if it waits with none.
    private func proceed(_ request: OpenRequest, with device: Result<Device?, LedgerError>?) {
        let (live, admitted) = (request.live, request.live.admitted)
        do throws(StageError) {
            defer { note(request) }
            if let device, let question = request.device {
                request.device = nil
                do throws(StageError) { try request.judging.answer(device, to: question) } catch {
                    try request.judging.keep(error, piece: question.piece)
                }
            }
            while let question = try request.judging.next() {
                switch question {
                case .attempt(let challenge): try reservations.tryChallenge(challenge, of: admitted, &live.taken)
                case .earlierRefusal:
                    guard !reservations.isAtRest, request.judging.refusals.isEmpty,
                        let freshness = request.judging.freshness
                    else { continue }
                    try reservations.checkMemory(for: freshness)
                    guard let refused = reservations.earlierRefusal(ofEvidenceOf: admitted, freshness) else { continue }
                    return end(live, .verdict(refused))
                case .device, .locatedDevice:
                    request.device = question
                    return
                default:
                    do throws(StageError) {
                        guard try facts.answerAtOnce(question, in: &request.judging) else {
                            request.question = question
                            return
                        }
                    } catch {
                        try request.judging.keep(error, piece: question.piece)
                    }
                }
            }
            guard let prepared = request.judging.prepared() else {
                if let refused = request.judging.refusedEarly { return end(live, .verdict(refused)) }
                throw .failed(.inconsistent("the judgement has no end"))
            }
            // A refused request is no verdict of its device's rate.
            if request.judging.refusals.isEmpty { try reservations.checkRate(of: prepared.knownDevice?.id, admitted) }
            live.stage = .prepared(prepared)
        } catch {
            request.device = nil
            stop(request, by: error)
        }
    }

    /// Answers what takes time, and goes on, until a registered device is asked for or nothing more.
    private func ask(_ request: OpenRequest) async {
        while let question = request.question {
            request.question = nil
            do throws(StageError) {
                do throws(StageError) { try await facts.answer(question, in: &request.judging) } catch {
                    try request.judging.keep(error, piece: question.piece)
                }
            } catch {
                note(request)
                return stop(request, by: error)
            }
            proceed(request, with: nil)
        }
    }

    /// What is known of the request so far, for what goes on after its answer.
    private func note(_ request: OpenRequest) {
        request.live.followed?.known = request.judging.known
        request.live.judged?.freshness = request.judging.freshness
        request.live.judged?.device = request.judging.pieces.lazy.compactMap(\.device).first
    }

    /// Ends the judgement of a request before its appraisal.
    private func stop(_ request: OpenRequest, by error: StageError) {
        let live = request.live
        // The limit of attempts bounds the work for one challenge, and a key that was used for another request answers nothing: both end
        // the judgement, also where it reports every failure.
        if live.admitted.request.report == .all, case .refused(let rejection, let check, let device) = error {
            return end(live, .verdict(request.judging.ended(by: rejection, check: check, device: device)))
        }
        if case .refused(let rejection, let check, let device) = error, let freshness = request.judging.freshness {
            live.taken.refusal = .init(request.judging.refusal(rejection, check: check, device: device), freshness)
        }
        end(live, by: error)
    }

    private func appraise(_ live: LiveRequest) {
        guard case .prepared(let prepared) = live.stage else { return }
        let appraisals = prepared.appraise()
        live.judged?.note(prepared, appraisals)
        // A request that was refused before counts as one whose evidence was not appraised, as it does where one failure is reported.
        if prepared.refusals.isEmpty {
            prepared.compare(appraisals)
            live.followed?.appraised = AppraisedRequest(prepared, appraisals)
        }
        live.stage = .appraised(prepared, appraisals)
    }

    /// Makes the decision, and for an acceptance the ledger entry that makes it durable.
    private func decide(_ live: LiveRequest) {
        guard case .appraised(let prepared, let appraisals) = live.stage else { return }
        switch prepared.judgement(of: appraisals) {
        case .open(let check, let detail): end(live, .failed(.evidenceUnavailable(check: check, detail: detail)))
        case .rejected(let refusal):
            live.taken.refusal = .init(refusal, prepared.freshness)
            end(live, .verdict(refusal.verdict))
        case .accepted(let decided):
            do throws(StageError) {
                try reservations.checkMemory(for: prepared.freshness, decided.changes.uses)
                try reservations.charge(decided.device?.id, live.admitted, &live.taken)
                let lookups = try indexing?.entries(of: decided) ?? []
                live.stage =
                    live.admitted.step == nil ? .accepted(PendingAcceptance(decided, lookups: lookups)) : .decided(decided)
            } catch {
                return end(live, by: error)
            }
            measures.record(decided)
        }
    }

    /// Makes what an accepted request leads to beside its verdict. It counts once the entry is committed.
    private func perform(_ live: LiveRequest) async {
        guard case .decided(let decided) = live.stage, let step = live.admitted.step else { return }
        do throws(StageError) {
            guard !live.admitted.isAbandoned() else { throw .abandoned }
            live.stage = .accepted(PendingAcceptance(decided, try await step.perform(on: decided)))
        } catch {
            guard case .refused(let rejection, let check, _) = error else { return end(live, by: error) }
            let device = decided.prepared.knownDevice?.id
            end(live, .verdict(decided.verdict.rejected(rejection, check: check, device: device)))
        }
    }

    /// Commits the acceptances of the group together. An abandoned one is left out.
    private func commit(_ group: [LiveRequest], _ watch: inout StageTimes.Watch) async {
        var waiting: [(live: LiveRequest, accepted: PendingAcceptance)] = []
        for live in group {
            guard case .accepted(let accepted) = live.stage else { continue }
            if accepted.admitted.isAbandoned() {
                end(live, .abandoned)
            } else {
                waiting.append((live, accepted))
            }
        }
        guard !waiting.isEmpty else { return }
        watch.goesOn(with: waiting.count) { waiting.map(\.accepted.admitted) }
        let answers = await commits.commit(waiting.map(\.accepted))
        watch.ended(.commit)
        for ((live, _), answer) in zip(waiting, answers) { end(live, answer) }
    }
}

extension LedgerError {
    /// Of a ledger that answers fewer questions than it was asked.
    fileprivate static let noAnswer = LedgerError.unavailable("the ledger did not say whether a device is registered")
}

extension Answer {
    fileprivate init(_ interruption: StageError, to admitted: AuthorizedRequest) {
        switch interruption {
        case .refused(let rejection, let check, let device):
            self = .verdict(Verdict(refusing: admitted, rejection, check: check, device: device))
        case .failed(let error): self = .failed(error)
        case .abandoned: self = .abandoned
        }
    }
}
