import AssayAPI
package import AssayCore
import SwiftProtobuf

/// The stages of a request: freshness, locate, fetch, appraise, decide, commit.
///
/// Requests come in small groups, and those of a group that are to be accepted join one commit together. Each stage takes a value and
/// returns a value; only the last one changes anything. The pipeline knows nothing of calls: the caller of ``judge(_:)`` maps the
/// answers to its protocol.
package struct VerificationPipeline: Sendable {
    private let ledger: any VerdictLedger
    private let attempts: ChallengeAttempts
    private let freshness: Freshness
    private let fetching: FactFetcher
    private let equals = EqualRequests()
    private let stages: StageTimes
    private let measures: EvidenceMeasures
    private let rates: RateLimits?
    private let refusals: RefusalMemory?
    private let followers: VerdictFollowers?
    private let revoked: @Sendable () -> Void

    /// - Parameters:
    ///   - followers: what goes on with requests of apps that are recorded or have a shadow policy; `nil`: nothing does.
    ///   - revoked: called after a registration that may have revoked certificates of the device that it replaces. Never waits.
    ///   - authenticatesChallenges: false only for a policy's tests, which have no key of the daemon that issued the challenges.
    package init(
        ledger: any VerdictLedger, keys: ChallengeKeys, subjects: SubjectKey, attempts: ChallengeAttempts,
        memory: EvidenceUseLimit, inquiries: OutsideInquiries = OutsideInquiries(),
        inquiryShare: InquiryShare = InquiryShare(apps: 1, callLimit: 64), stages: StageTimes = StageTimes(),
        measures: EvidenceMeasures = EvidenceMeasures(), rates: RateLimits? = nil, refusals: RefusalMemory? = nil,
        followers: VerdictFollowers? = nil, revoked: @escaping @Sendable () -> Void = {}, authenticatesChallenges: Bool = true
    ) {
        self.revoked = revoked
        (self.stages, self.measures) = (stages, measures)
        self.ledger = ledger
        (self.attempts, self.rates, self.refusals) = (attempts, rates, refusals)
        self.followers = followers
        freshness = Freshness(
            keys: keys, attempts: attempts, memory: memory, authenticatesChallenges: authenticatesChallenges)
        fetching = FactFetcher(ledger: ledger, subjects: subjects, inquiries: inquiries, inquiryShare: inquiryShare)
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
        case .completed: break
        case .verdict(let verdict):
            guard case .accepted = verdict.decision else { return .verdict(verdict.answering(admitted.requestID)) }
        case .repeated: break
        case .failed: return other
        // The other request was abandoned and not judged, so this one is.
        case .abandoned: return await judge([admitted]).first ?? .abandoned
        }
        // Read from the ledger, because a block may have been set between that commit and this request.
        do throws(StageError) {
            if let stored = try await storedVerdict(admitted) { return stored }
        } catch {
            return answer(error, to: admitted)
        }
        // The stored verdict was forgotten since, with its device or for lack of space: this request is judged by its evidence.
        return await judge([admitted]).first ?? .abandoned
    }

    /// The group goes through the stages together: what a stage needs stays in the processor's caches for all of it.
    private func judgeEach(_ requests: [AuthorizedRequest]) async -> [Answer] {
        var appraised: [(index: Int, request: AppraisedRequest)] = []
        let answers = await judgeEach(requests, &appraised)
        if let followers, requests.contains(where: { $0.profile.isFollowed }) { followers.judged(requests, answers, appraised) }
        return answers
    }

    /// - Parameter appraised: gets the requests whose appraisals something follows.
    private func judgeEach(
        _ requests: [AuthorizedRequest], _ appraised: inout [(index: Int, request: AppraisedRequest)]
    ) async -> [Answer] {
        var watch = StageTimes.Watch(stages, requests)
        var progress: [Progress] = []
        progress.reserveCapacity(requests.count)
        for admitted in requests { progress.append(await prepare(admitted)) }
        watch.ended(.prepare)
        for index in progress.indices {
            guard case .prepared(let fresh, let prepared) = progress[index] else { continue }
            let appraisals = prepared.appraise(under: fresh)
            prepared.compare(appraisals)
            if prepared.admitted.profile.isFollowed {
                appraised.append((index, AppraisedRequest(prepared, fresh.binding, appraisals)))
            }
            progress[index] = .appraised(appraisals, fresh, prepared)
        }
        watch.ended(.appraise)
        for index in progress.indices {
            guard case .appraised(let appraisals, let fresh, let prepared) = progress[index] else { continue }
            progress[index] = decide(appraisals, fresh, prepared)
        }
        for index in progress.indices {
            guard case .decided(let decided) = progress[index] else { continue }
            progress[index] = await perform(decided)
        }
        watch.ended(.decide)
        var answers: [Answer] = []
        var waiting: [(index: Int, accepted: PendingAcceptance)] = []
        answers.reserveCapacity(requests.count)
        for (admitted, progress) in zip(requests, progress) {
            switch progress {
            case .prepared, .appraised, .decided: answers.append(.abandoned)
            case .settled(let answer): answers.append(await winner(over: answer, to: admitted) ?? answer)
            case .accepted(let accepted):
                waiting.append((answers.count, accepted))
                answers.append(.abandoned)
            }
        }
        waiting.removeAll { _, accepted in
            guard accepted.admitted.isAbandoned() else { return false }
            // Good evidence of an abandoned request is no attempt.
            forget(accepted)
            return true
        }
        guard !waiting.isEmpty else { return answers }
        do throws(LedgerError) {
            watch.goesOn(with: waiting.count) { waiting.map(\.accepted.admitted) }
            let outcomes = try await ledger.commit(waiting.map(\.accepted.entry))
            watch.ended(.commit)
            for ((index, accepted), outcome) in zip(waiting, outcomes) {
                answers[index] = await conclude(accepted, outcome)
            }
        } catch {
            for (index, accepted) in waiting {
                forget(accepted)
                answers[index] = .failed(.ledger(error))
            }
        }
        return answers
    }

    /// Takes back what was counted for an acceptance that did not come to be, and that the evidence is not to blame for.
    private func forget(_ accepted: PendingAcceptance) {
        accepted.challenge.map(attempts.forget)
        giveBack(accepted)
    }

    /// Takes back what the device was charged for a verdict that is not accepted after all.
    private func giveBack(_ accepted: PendingAcceptance) {
        guard let rates, let device = accepted.verdict.device else { return }
        rates.giveBack(device, of: accepted.admitted.request.app)
    }

    /// Everything that must be known before the evidence is judged.
    private func prepare(_ admitted: AuthorizedRequest) async -> Progress {
        var challenge: Challenge?
        // Once the request is fresh.
        var bound: Binding?
        do throws(StageError) {
            guard !admitted.isAbandoned() else { throw .abandoned }
            if let stored = try await storedVerdict(admitted) { return .settled(stored) }
            if let refused = try refusedBefore(admitted) { return .settled(.verdict(refused)) }
            try admitted.checkAvailability()
            let fresh = try await freshness.settle(admitted)
            (challenge, bound) = (fresh.challenge, fresh.binding)
            if let refused = refusals?.verdict(onEvidenceOf: admitted, bound: fresh.binding) {
                return .settled(.verdict(refused))
            }
            let prepared = try await fetching.fetch(admitted, fresh)
            // Before the appraisal, and charging nothing: what names the device is not verified yet.
            if let rates, let device = prepared.knownDevice?.id,
                let refusal = rates.refusal(of: device, of: admitted.request.app)
            {
                throw .failed(.rateLimited(refusal))
            }
            guard fresh.binding.mode == .inEvidence else { return .prepared(fresh, prepared) }
            return .prepared(try freshness.adding(prepared.statements, to: fresh, admitted), prepared)
        } catch {
            if case .failed = error { challenge.map(attempts.forget) }
            let answer = answer(error, to: admitted)
            // The form of evidence depends on the evidence alone, what the registry says does not.
            if let bound, case .refused(_, check: "evidence", _) = error, case .verdict(let verdict) = answer,
                admitted.profile.opinionSources.isEmpty
            {
                refusals?.remember(verdict, on: admitted, with: challenge, restsOnEvidenceBeside: bound)
            }
            return .settled(answer)
        }
    }

    /// The verdict on an equal request that was refused for good before. It is an attempt with the challenge like the first one.
    private func refusedBefore(_ admitted: AuthorizedRequest) throws(StageError) -> Verdict? {
        guard let verdict = refusals?.verdict(on: admitted) else { return nil }
        guard !admitted.request.challenge.isEmpty else { return verdict }
        do throws(Rejection) {
            try attempts.count(try Challenge(parsing: admitted.request.challenge), now: admitted.now)
        } catch {
            throw .refused(error, check: "challenge")
        }
        return verdict
    }

    private func answer(_ interruption: StageError, to admitted: AuthorizedRequest) -> Answer {
        switch interruption {
        case .refused(let rejection, let check, let device):
            .verdict(Verdict(refusing: admitted, rejection, check: check, device: device))
        case .failed(let error): .failed(error)
        case .abandoned: .abandoned
        }
    }

    /// The verdict of an equal request that was accepted before.
    private func storedVerdict(_ admitted: AuthorizedRequest) async throws(StageError) -> Answer? {
        guard let asked = admitted.idempotency else { return nil }
        let stored: StoredVerdict?
        do { stored = try await ledger.verdict(idempotencyKey: asked.key, now: admitted.now) } catch {
            throw .failed(.ledger(error))
        }
        guard let stored else { return nil }
        guard stored.request == asked.request else {
            throw .refused(ReasonCode.idempotencyKeyReused.rejection, check: "idempotency")
        }
        if let objection = stored.objection { throw .refused(objection.rejection, check: DeviceAdmission.check) }
        // The verdict may be about no device, or about a device without a subject.
        if let subject = fetching.subject(of: admitted.request) {
            try await ledger.refuseBlocked(subject: subject, of: admitted.request.app)
        }
        return repetition(of: stored.verdict, to: admitted)
    }

    /// A stored verdict, if the configuration now in force accepts it.
    private func repetition(of message: [UInt8], to admitted: AuthorizedRequest) -> Answer {
        guard !admitted.profile.acceptsSimulated else { return .repeated(message: message) }
        // Decoded only for an app that does not accept simulated devices. A message that cannot be decoded is refused.
        let isSimulated =
            if let step = admitted.step {
                step.isSimulated(message)
            } else {
                (try? Assay_V1_Verdict(serializedBytes: message))?.simulated ?? true
            }
        guard isSimulated else { return .repeated(message: message) }
        return .verdict(Verdict(refusing: admitted, .simulatedNotAccepted, check: "simulated", device: nil))
    }

    /// The verdict of an equal request that was accepted while this one was judged. This one was then refused, because it read the
    /// counter that the other one had advanced.
    private func winner(over answer: Answer, to admitted: AuthorizedRequest) async -> Answer? {
        guard case .verdict = answer else { return nil }
        return try? await storedVerdict(admitted)
    }

    /// Makes the decision, and for an acceptance the ledger entry that makes it durable.
    private func decide(
        _ appraisals: [Appraisal], _ fresh: Freshness.Outcome, _ prepared: VerificationCase
    ) -> Progress {
        let decision = Decision(appraisals)
        if !prepared.admitted.profile.acceptsSimulated, !decision.isRejection, appraisals.contains(where: \.simulated) {
            // Comes before unavailable checks: their results could not make this evidence acceptable.
            let verdict = prepared.verdict(.accepted(.none), appraisals, fresh.binding, device: prepared.knownDevice?.id)
            return .settled(
                .verdict(verdict.rejected(.simulatedNotAccepted, check: "simulated", device: prepared.knownDevice?.id)))
        }
        switch decision {
        case .unavailable(let check, let detail):
            fresh.challenge.map(attempts.forget)
            return .settled(.failed(.evidenceUnavailable(check: check, detail: detail)))
        case .reject(let rejection, let check):
            let verdict = prepared.verdict(
                .rejected(rejection, check: check), appraisals, fresh.binding, device: prepared.knownDevice?.id)
            if let refusals, prepared.restsOnRequest {
                refusals.remember(
                    verdict, on: prepared.admitted, with: fresh.challenge,
                    restsOnEvidenceBeside: prepared.restsOnEvidence(appraisals) ? fresh.binding : nil)
            }
            return .settled(.verdict(verdict))
        case .accept(let assurance):
            func refused(_ rejection: Rejection, check: String, device: DeviceID? = nil) -> Progress {
                .settled(
                    .verdict(
                        prepared.verdict(
                            .rejected(rejection, check: check), appraisals, fresh.binding, device: device)))
            }
            let changes = prepared.changes(appraisals)
            guard changes.uses.isEmpty || !freshness.memory.isFull else {
                fresh.challenge.map(attempts.forget)
                return .settled(.failed(.evidenceMemoryFull))
            }
            let device: Device?
            do throws(Rejection) {
                device = try prepared.decidedDevice(appraisals, changes)
            } catch {
                return refused(error, check: DeviceAdmission.check)
            }
            guard prepared.admitted.request.purpose != .register || !changes.registrations.isEmpty else {
                return refused(
                    Rejection(.evidenceMissing, "nothing that was given registers a device"), check: "evidence")
            }
            // Evidence that names no device does not match the expected device.
            if let expected = prepared.admitted.request.expectedDevice, expected != device?.id {
                let found = device.map { "of \($0.id)" } ?? "of no registered device"
                return refused(
                    Rejection(.deviceMismatch, "the evidence is \(found), the request expects \(expected)"),
                    check: DeviceAdmission.check, device: device?.id)
            }
            let verdict = prepared.verdict(.accepted(assurance), appraisals, fresh.binding, device: device?.id)
            if let confidence = verdict.confidence, let refusal = prepared.admitted.refusal(of: confidence) {
                return .settled(
                    .verdict(
                        verdict.rejected(refusal, check: Finding.confidenceCheck, device: prepared.knownDevice?.id)))
            }
            // The last of the rules: what is refused above costs the device nothing.
            if let rates, let device, let refusal = rates.charge(device.id, of: prepared.admitted.request.app) {
                fresh.challenge.map(attempts.forget)
                return .settled(.failed(.rateLimited(refusal)))
            }
            measures.record(changes, of: prepared)
            guard prepared.admitted.step == nil else {
                return .decided(
                    DecidedRequest(
                        prepared: prepared, verdict: verdict, assurance: assurance, appraisals: appraisals, fresh: fresh,
                        changes: changes, device: device))
            }
            return .accepted(PendingAcceptance(prepared, verdict, fresh, changes))
        }
    }

    /// Makes what an accepted request leads to beside its verdict. It counts once the entry is committed.
    private func perform(_ decided: DecidedRequest) async -> Progress {
        let (prepared, fresh) = (decided.prepared, decided.fresh)
        func giveBack() {
            if let rates, let device = decided.verdict.device { rates.giveBack(device, of: prepared.admitted.request.app) }
        }
        guard let step = prepared.admitted.step, !prepared.admitted.isAbandoned() else {
            fresh.challenge.map(attempts.forget)
            giveBack()
            return .settled(.abandoned)
        }
        do throws(StageError) {
            let result = try await step.perform(on: decided)
            return .accepted(PendingAcceptance(prepared, result.verdict, fresh, decided.changes, result))
        } catch {
            giveBack()
            switch error {
            case .refused(let rejection, let check, _):
                return .settled(.verdict(decided.verdict.rejected(rejection, check: check, device: prepared.knownDevice?.id)))
            case .failed(let error):
                fresh.challenge.map(attempts.forget)
                return .settled(.failed(error))
            case .abandoned:
                fresh.challenge.map(attempts.forget)
                return .settled(.abandoned)
            }
        }
    }

    private func conclude(_ accepted: PendingAcceptance, _ outcome: CommitOutcome) async -> Answer {
        if outcome != .committed { giveBack(accepted) }
        switch outcome {
        case .committed:
            accepted.challenge.map(attempts.forget)
            // The certificates of the replaced device are revoked.
            if accepted.entry.replacement != nil { revoked() }
            guard let result = accepted.result else { return .verdict(accepted.verdict) }
            return .completed(accepted.verdict, message: result.message)
        case .repeated(let message): return repetition(of: message, to: accepted.admitted)
        case .refused(.challengeReused) where accepted.uses.contains { $0.repetition != .repeated }:
            return await concludeUsed(accepted)
        case .refused(.challengeReused) where accepted.verdict.binding?.mode == .inEvidence:
            // The same statement was accepted before. Device and certificate were checked in the commit, before the statement's use.
            let again = accepted.verdict.adding([
                .note("statement", Finding.repeatedStatement, "the same statement was accepted before")
            ])
            return .repeated(message: again.serialized(repeated: true))
        case .refused(let code):
            let device = accepted.entry.registrations.isEmpty ? accepted.verdict.device : nil
            return .verdict(accepted.verdict.rejected(accepted.rejection(code), check: "commit", device: device))
        }
    }

    /// Something that the evidence may be used for once was used before: says what.
    private func concludeUsed(_ accepted: PendingAcceptance) async -> Answer {
        let spent: [Bool]
        do { spent = try await ledger.areSpent(accepted.uses.map(\.token)) } catch { return .failed(.ledger(error)) }
        let device = accepted.entry.registrations.isEmpty ? accepted.verdict.device : nil
        for (use, isSpent) in zip(accepted.uses, spent) where isSpent {
            guard case .rejected(let rejection) = use.repetition else { continue }
            return .verdict(accepted.verdict.rejected(rejection, check: "use", device: device))
        }
        return .verdict(
            accepted.verdict.rejected(ReasonCode.challengeReused.rejection, check: "commit", device: device))
    }
}

/// The stage that a request has reached.
private enum Progress {
    case prepared(Freshness.Outcome, VerificationCase)
    case appraised([Appraisal], Freshness.Outcome, VerificationCase)
    case settled(Answer)
    /// Accepted by the policy; the request's step is to be performed.
    case decided(DecidedRequest)
    case accepted(PendingAcceptance)
}

extension PendingAcceptance {
    /// Why the ledger refused the entry, with the values that it compared.
    fileprivate func rejection(_ code: ReasonCode) -> Rejection {
        switch code {
        case .unknownDevice where entry.replacement != nil:
            return entry.replacement.map { .replacementUnknown($0.device.id) } ?? code.rejection
        case .tooManyDevices:
            let limit = entry.devicesPerSubject.map { "\($0)" } ?? "any number"
            return Rejection(code, "the subject has as many registered devices as the app allows: \(limit)")
        case .counterNotIncreasing, .counterTooOld:
            guard let counter = entry.advances.first?.counter else { return code.rejection }
            return Rejection(code, "the counter \(counter) was accepted, or overtaken, while this request was judged")
        case .challengeReused:
            return Rejection(
                code, "the challenge was accepted once already, by another request or by an earlier try of this one")
        default: return code.rejection
        }
    }
}
