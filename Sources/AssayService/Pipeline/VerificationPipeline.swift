import AssayAPI
package import AssayCore
import AssayRPC

/// The way of a request through the house: freshness, locate, fetch, appraise, decide, commit.
///
/// Requests come in small groups, as the transport hands them over, and those of a group that are to be accepted join one
/// commit together. Each stage takes a value and returns a value; only the last one changes anything.
package struct VerificationPipeline: Sendable {
    private let ledger: any Ledger
    private let attempts: ChallengeAttempts
    private let freshness: Freshness
    private let fetching: Fetching

    package init(
        ledger: any Ledger, keys: ChallengeKeys, subjects: SubjectKey, attempts: ChallengeAttempts,
        memory: EvidenceMemory, vendors: VendorDesk = VendorDesk(),
        vendorShare: VendorShare = VendorShare(apps: 1, callLimit: 64)
    ) {
        self.ledger = ledger
        self.attempts = attempts
        freshness = Freshness(keys: keys, attempts: attempts, memory: memory)
        fetching = Fetching(ledger: ledger, subjects: subjects, vendors: vendors, vendorShare: vendorShare)
    }

    /// One answer for each request, in order.
    ///
    /// The group goes through the stages together: what a stage needs stays in the processor's caches for all of it.
    package func judge(_ requests: [Admitted]) async -> [Answer] {
        var progress: [Progress] = []
        progress.reserveCapacity(requests.count)
        for admitted in requests { progress.append(await prepare(admitted)) }
        for index in progress.indices {
            guard case .prepared(let fresh, let prepared) = progress[index] else { continue }
            progress[index] = .appraised(prepared.appraise(under: fresh), fresh, prepared)
        }
        for index in progress.indices {
            guard case .appraised(let appraisals, let fresh, let prepared) = progress[index] else { continue }
            progress[index] = decide(appraisals, fresh, prepared)
        }
        var answers: [Answer] = []
        var waiting: [(index: Int, accepted: Accepted)] = []
        answers.reserveCapacity(requests.count)
        for (admitted, progress) in zip(requests, progress) {
            switch progress {
            case .prepared, .appraised: answers.append(.abandoned)
            case .settled(let answer): answers.append(await winner(over: answer, to: admitted) ?? answer)
            case .accepted(let accepted):
                waiting.append((answers.count, accepted))
                answers.append(.abandoned)
            }
        }
        waiting.removeAll { _, accepted in
            guard accepted.admitted.isAbandoned() else { return false }
            // Good evidence that came to nothing is no attempt.
            accepted.challenge.map(attempts.forget)
            return true
        }
        guard !waiting.isEmpty else { return answers }
        do throws(LedgerError) {
            let outcomes = try await ledger.commit(waiting.map(\.accepted.entry))
            for ((index, accepted), outcome) in zip(waiting, outcomes) {
                answers[index] = conclude(accepted, outcome)
            }
        } catch {
            for (index, accepted) in waiting {
                accepted.challenge.map(attempts.forget)
                answers[index] = .failed(RPCError(error))
            }
        }
        return answers
    }

    /// Everything that must be known before the evidence is judged.
    private func prepare(_ admitted: Admitted) async -> Progress {
        var challenge: Challenge?
        do throws(Interruption) {
            guard !admitted.isAbandoned() else { throw .abandoned }
            if let stored = try await storedVerdict(admitted) { return .settled(stored) }
            let fresh = try await freshness.settle(admitted)
            challenge = fresh.challenge
            return .prepared(fresh, try await fetching.fetch(admitted, fresh))
        } catch {
            switch error {
            case .refused(let rejection, let check, let device):
                return .settled(.verdict(Verdict(refusing: admitted, rejection, check: check, device: device)))
            case .failed(let error):
                challenge.map(attempts.forget)
                return .settled(.failed(error))
            case .abandoned: return .settled(.abandoned)
            }
        }
    }

    /// The verdict of an equal request that was accepted before.
    private func storedVerdict(_ admitted: Admitted) async throws(Interruption) -> Answer? {
        guard let key = admitted.idempotencyKey else { return nil }
        let stored: StoredVerdict?
        do { stored = try await ledger.verdict(idempotencyKey: key, now: admitted.now) } catch {
            throw .failed(RPCError(error))
        }
        guard let stored else { return nil }
        guard stored.request == admitted.request.digest else {
            throw .refused(ReasonCode.idempotencyKeyReused.rejection, check: "idempotency")
        }
        if let objection = stored.objection { throw .refused(objection.rejection, check: "registry") }
        return .repeated(message: stored.verdict)
    }

    /// The verdict of an equal request that was accepted while this one was looked at, and so refused: the loser of a race
    /// has seen the counter that the winner advanced.
    private func winner(over answer: Answer, to admitted: Admitted) async -> Answer? {
        guard case .verdict = answer else { return nil }
        return try? await storedVerdict(admitted)
    }

    /// Makes the decision, and of an acceptance the entry that makes it durable.
    private func decide(
        _ appraisals: [Appraisal], _ fresh: Freshness.Outcome, _ prepared: VerificationCase
    ) -> Progress {
        switch Decision(appraisals) {
        case .unavailable(let check, let detail):
            fresh.challenge.map(attempts.forget)
            return .settled(
                .failed(
                    RPCError(
                        .unavailable, "\(check): \(detail)", reason: "evidence_unavailable", retryAfterMilliseconds: 1000)))
        case .reject(let rejection, let check):
            let verdict = prepared.verdict(
                .rejected(rejection, check: check), appraisals, fresh.binding, device: prepared.device)
            return .settled(.verdict(verdict))
        case .accept(let assurance):
            func refused(_ rejection: Rejection, check: String, device: DeviceID? = nil) -> Progress {
                .settled(
                    .verdict(
                        prepared.verdict(
                            .rejected(rejection, check: check), appraisals, fresh.binding, device: device)))
            }
            let changes = prepared.changes(appraisals)
            guard changes.registrations.count <= 1 else { return refused(.severalDevices, check: "registry") }
            guard prepared.admitted.request.purpose != .register || !changes.registrations.isEmpty else {
                return refused(
                    Rejection(.evidenceMissing, "nothing that was given registers a device"), check: "evidence")
            }
            let device = changes.registrations.first?.id ?? prepared.device
            // Evidence that names no device is not that of the expected one.
            if let expected = prepared.admitted.request.expectedDevice, expected != device {
                return refused(ReasonCode.deviceMismatch.rejection, check: "registry", device: device)
            }
            let verdict = prepared.verdict(.accepted(assurance), appraisals, fresh.binding, device: device)
            return .accepted(Accepted(prepared.admitted, verdict, fresh, changes))
        }
    }

    private func conclude(_ accepted: Accepted, _ outcome: CommitOutcome) -> Answer {
        switch outcome {
        case .committed:
            accepted.challenge.map(attempts.forget)
            return .verdict(accepted.verdict)
        case .repeated(let message): return .repeated(message: message)
        case .refused(let code):
            let device = accepted.entry.registrations.isEmpty ? accepted.verdict.device : nil
            return .verdict(accepted.verdict.rejected(code.rejection, check: "commit", device: device))
        }
    }
}

/// How far a request has come.
private enum Progress {
    case prepared(Freshness.Outcome, VerificationCase)
    case appraised([Appraisal], Freshness.Outcome, VerificationCase)
    case settled(Answer)
    case accepted(Accepted)
}

extension ReasonCode {
    /// The code with its own sentence.
    var rejection: Rejection { Rejection(self, summary) }
}
