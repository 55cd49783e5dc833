import AssayAPI
package import AssayCore
import AssayRPC

/// The way of a request through the house: freshness, locate, fetch, appraise, decide, commit.
///
/// Requests come in small groups, as the transport hands them over, and those of a group that are to be accepted join one
/// commit together. Each stage takes a value and returns a value; only the last one changes anything.
package struct VerificationPipeline: Sendable {
    private let ledger: any Ledger
    private let subjects: SubjectKey
    private let attempts: ChallengeAttempts
    private let freshness: Freshness

    package init(ledger: any Ledger, keys: ChallengeKeys, subjects: SubjectKey, attempts: ChallengeAttempts) {
        self.ledger = ledger
        self.subjects = subjects
        self.attempts = attempts
        freshness = Freshness(keys: keys, attempts: attempts)
    }

    /// One answer for each request, in order.
    package func judge(_ requests: [Admitted]) async -> [Answer] {
        var answers: [Answer] = []
        var waiting: [(index: Int, accepted: Accepted)] = []
        answers.reserveCapacity(requests.count)
        for admitted in requests {
            switch await appraise(admitted) {
            case .settled(let answer): answers.append(await unlessRepeated(answer, admitted))
            case .accepted(let accepted):
                waiting.append((answers.count, accepted))
                answers.append(.abandoned)
            }
        }
        waiting.removeAll { $0.accepted.admitted.isAbandoned() }
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

    /// All stages that change nothing.
    private func appraise(_ admitted: Admitted) async -> Progress {
        var challenge: Challenge?
        do throws(Interruption) {
            guard !admitted.isAbandoned() else { throw .abandoned }
            if let stored = try await storedVerdict(admitted) { return .settled(stored) }
            let fresh = try await freshness.settle(admitted)
            challenge = fresh.challenge
            let prepared = try await fetch(admitted)
            return try decide(prepared.appraise(under: fresh.binding), fresh, prepared)
        } catch {
            switch error {
            case .refused(let rejection, let check):
                return .settled(.verdict(Verdict(refusing: admitted, rejection, check: check)))
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
        guard !stored.deviceBlocked else { throw .refused(ReasonCode.deviceBlocked.rejection, check: "registry") }
        return .repeated(message: stored.verdict)
    }

    /// A request may be refused for what its own equal did while it was judged: advanced the counter it asks for. Then it
    /// gets that one's verdict.
    private func unlessRepeated(_ answer: Answer, _ admitted: Admitted) async -> Answer {
        guard admitted.idempotencyKey != nil, case .verdict(let verdict) = answer, case .rejected = verdict.decision else {
            return answer
        }
        do throws(Interruption) {
            return try await storedVerdict(admitted) ?? answer
        } catch {
            guard case .failed(let error) = error else { return answer }
            return .failed(error)
        }
    }

    /// Locates what each piece of evidence needs and fetches it; refuses what the registry refuses.
    private func fetch(_ admitted: Admitted) async throws(Interruption) -> VerificationCase {
        var pieces: [VerificationCase.Piece] = []
        let subject = subjects.hash(admitted.request.subject, app: admitted.request.app)
        for evidence in admitted.request.evidence {
            guard let verifier = admitted.profile.verifiers[evidence.format],
                verifier.purposes.contains(admitted.request.purpose)
            else {
                throw .refused(
                    Rejection(.formatNotAccepted, "the app does not accept \(evidence.format) for this purpose"),
                    check: "evidence")
            }
            guard evidence.body.count <= verifier.sizeLimit else {
                throw .refused(
                    Rejection(.evidenceTooLarge, "\(evidence.body.count) bytes, limit \(verifier.sizeLimit)"),
                    check: "evidence")
            }
            let lookup: Lookup
            do { lookup = try verifier.locate(evidence) } catch { throw .refused(error, check: "evidence") }
            var device: Device?
            if case .device(let keyID) = lookup {
                do {
                    device = try await ledger.device(DeviceKey(app: admitted.request.app, keyID: keyID))
                } catch { throw .failed(RPCError(error)) }
                if let device { try Registry.check(device, for: admitted.request, subject: subject) }
            }
            pieces.append(VerificationCase.Piece(evidence: evidence, verifier: verifier, device: device))
        }
        return VerificationCase(admitted: admitted, pieces: pieces, subject: subject)
    }

    /// Makes the decision, and of an acceptance the entry that makes it durable.
    private func decide(
        _ appraisals: [Appraisal], _ fresh: Freshness.Outcome, _ prepared: VerificationCase
    ) throws(Interruption) -> Progress {
        switch Decision(appraisals) {
        case .unavailable(let check, let detail):
            throw .failed(
                RPCError(.unavailable, "\(check): \(detail)", reason: "evidence_unavailable", retryAfterMilliseconds: 1000))
        case .reject(let rejection, let check):
            let verdict = prepared.verdict(
                .rejected(rejection, check: check), appraisals, fresh.binding, device: prepared.device)
            return .settled(.verdict(verdict))
        case .accept(let assurance):
            let changes = prepared.changes(appraisals)
            let device = changes.registrations.first?.id ?? prepared.device
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
            var verdict = accepted.verdict
            verdict.reject(code.rejection, check: "commit")
            if !accepted.entry.registrations.isEmpty { verdict.device = nil }
            return .verdict(verdict)
        }
    }
}

/// How far a request has come.
private enum Progress {
    case settled(Answer)
    case accepted(Accepted)
}

extension ReasonCode {
    /// The code with its own sentence.
    var rejection: Rejection { Rejection(self, summary) }
}
