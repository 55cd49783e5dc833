package import AssayCore
import AssayFramedRPC
import AssayRPC
import Logging
import Synchronization

extension PluginSupervisor {
    /// Which of the plugin's devices the evidence is about.
    package func locate(_ request: PluginRequest) async throws(PluginUnavailable) -> LocatedSubject {
        if let format = description?.formats.first(where: { $0.name == request.format }), !format.locates { return .none }
        guard case .located(let subject) = try await ask(.locate(request)) else { throw Self.otherAnswer }
        return subject
    }

    /// Judges one piece of evidence whose device, if it has one, is located.
    package func appraise(_ request: PluginRequest) async throws(PluginUnavailable) -> PluginSession.Answer {
        guard case .answer(let answer) = try await ask(.appraise(request)) else { throw Self.otherAnswer }
        return answer
    }

    /// Locates the device of one piece of evidence, looks it up, and judges.
    package func judge(_ request: PluginRequest) async throws(PluginUnavailable) -> PluginSession.Answer {
        let whole = SupervisedCall(.judge(request))
        if standing(of: whole)?.standing == .suspect {
            guard case .answer(let answer) = try await ask(.judge(request)) else { throw Self.otherAnswer }
            return answer
        }
        var request = request
        switch try await locate(request) {
        case .refused(let rejection): return .refused(rejection)
        case .unavailable(let why): throw PluginUnavailable(.registry, why)
        case .none: break
        case .device(let keyID, let subjectKey):
            request.subjectKey = subjectKey
            do {
                request.device = try await host.device(
                    keyID: keyID, in: PluginCall(app: request.app, format: request.format))
            } catch {
                countUnavailable()
                throw PluginUnavailable(.registry, "the daemon's store does not answer")
            }
            do throws(Rejection) { try request.admitLocated() } catch { return .refused(error) }
        }
        return try await appraise(request)
    }

    /// Makes what a device needs before it can make evidence.
    package func prepare(
        _ body: [UInt8], format: EvidenceFormat, app: AppID, now: Timestamp
    ) async throws(PluginUnavailable) -> Result<Preparation, Rejection> {
        guard case .prepared(let result) = try await ask(.prepare(body: body, format, app, now)) else { throw Self.otherAnswer }
        return result
    }

    private static let otherAnswer = PluginUnavailable(.invalidAnswer, "the answer is that of another method")

    // MARK: From the question to the answer

    private func ask(_ work: SupervisedCall.Work) async throws(PluginUnavailable) -> SupervisedCall.Outcome {
        let call = SupervisedCall(work)
        let known = standing(of: call)
        if known?.standing == .refused {
            let answer = refusedOutcome(of: work)
            count(answer)
            return try answer.get()
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<SupervisedCall.Answer, Never>) in
                call.onAnswer { continuation.resume(returning: $0) }
                if let known, known.standing == .suspect {
                    submitAlone(call, known.suspicion)
                } else {
                    submit(call)
                }
            }
        } onCancel: {
            call.answer(.failure(PluginUnavailable(.cancelled, "the caller went away")))
            state.withLock { $0.drop(call) }
        }
        count(answer)
        return try answer.get()
    }

    /// What is known of the call's evidence; `nil` for most calls, since no evidence is suspected.
    private func standing(of call: SupervisedCall) -> (standing: Quarantine.Standing, suspicion: Suspicion)? {
        guard !quarantine.isEmpty, let suspicion = call.suspicion(of: entry.id) else { return nil }
        return (quarantine.standing(suspicion.digest), suspicion)
    }

    /// The answer about evidence in quarantine.
    func refusedOutcome(of work: SupervisedCall.Work) -> SupervisedCall.Answer {
        let rejection = Rejection(
            .pluginQuarantined, "this evidence ended two processes of the plugin \(entry.id), and is not given to it again")
        switch work {
        case .locate: return .success(.located(.refused(rejection)))
        case .appraise, .judge: return .success(.answer(.refused(rejection)))
        case .prepare: return .success(.prepared(.failure(rejection)))
        case .observe, .health:
            return .failure(PluginUnavailable(.ended, "the process of the plugin \(entry.id) ended"))
        }
    }

    private func count(_ answer: SupervisedCall.Answer) {
        switch answer {
        case .success(.answer(.appraised(let appraisal, _, _))):
            if appraisal.failure != nil { state.withLock { $0.counts.rejections += 1 } }
        case .success(.answer(.refused)), .success(.located(.refused)), .success(.prepared(.failure)):
            state.withLock { $0.counts.rejections += 1 }
        case .failure(let error) where error.reason != .cancelled: countUnavailable()
        case .success, .failure: break
        }
    }

    private func countUnavailable() { state.withLock { $0.counts.unavailable += 1 } }

    func submit(_ call: SupervisedCall) {
        guard !call.isAnswered else { return }
        update { state, effects in state.take(call, at: .now, &effects) }
    }

    /// Takes a call over that waited for the processes of an earlier entry.
    func resubmit(_ call: SupervisedCall) {
        switch standing(of: call) {
        case (.refused, _)?: call.answer(refusedOutcome(of: call.work))
        case (.suspect, let suspicion)?: submitAlone(call, suspicion)
        case (.unknown, _)?, nil: submit(call)
        }
    }

    func begin(_ begin: SupervisionState.Begin) {
        let timeout = CallTimeout.announced(entry.limits.deadline)
        // The call holds its place until the process has answered, also if the caller goes away: so it is a task of its own.
        Task {
            do throws(PluginCallFailure) {
                let outcome = try await begin.call.perform(in: begin.session, timeout: timeout)
                finish(begin, .success(outcome))
            } catch { finish(begin, .failure(error)) }
        }
    }

    private func finish(_ begin: SupervisionState.Begin, _ result: Result<SupervisedCall.Outcome, PluginCallFailure>) {
        let isLost = result.isLost(of: begin.session)
        update { state, effects in
            if isLost {
                state.processes[begin.process]?.inFlight[begin.id]?.isLost = true
            } else {
                state.processes[begin.process]?.inFlight[begin.id] = nil
                state.processes[begin.process]?.bytes -= begin.call.size
                state.processes[begin.process]?.heard = .now
                effects.answers.append((begin.call, answer(result, &state, &effects)))
                if state.schedule.answered() {
                    effects.wakesSlots = true
                    effects.lines.append(
                        .init(kind: .closed, level: .notice, text: "the plugin answers again: the circuit breaker is closed"))
                }
                state.dispatch(at: .now, &effects)
                if state.processes[begin.process]?.inFlight.isEmpty == true {
                    state.watch(.now + environment.times.idle, &effects)
                }
            }
            bury(begin.process, &state, &effects)
        }
    }

    private func answer(
        _ result: Result<SupervisedCall.Outcome, PluginCallFailure>, _ state: inout SupervisionState,
        _ effects: inout SupervisionEffects
    ) -> SupervisedCall.Answer {
        switch result {
        case .success(let outcome):
            if case .health(let problem) = outcome { state.health = problem }
            return .success(outcome)
        case .failure(let failure):
            let error = failure.unavailable(entry.id)
            if error.reason == .invalidAnswer {
                state.counts.invalid += 1
                effects.lines.append(
                    .init(
                        kind: .invalid, level: .warning, text: "the plugin answered against its contract",
                        fields: ["problem": "\(failure.description)"]))
            }
            return .failure(error)
        }
    }
}

extension Result where Success == SupervisedCall.Outcome, Failure == PluginCallFailure {
    /// Whether no answer came, and none will: the connection has ended.
    func isLost(of session: PluginSession) -> Bool {
        guard !session.isOpen, case .failure(.status(let error)) = self else { return false }
        return error.isOfAnEnd
    }
}

extension PluginCallFailure {
    func unavailable(_ id: String) -> PluginUnavailable {
        switch self {
        case .contract: return PluginUnavailable(.invalidAnswer, "the plugin \(id) answered against its contract")
        case .registry: return PluginUnavailable(.registry, "the daemon's store does not answer")
        case .status(let error):
            let delay = error.retryAfterMilliseconds.map { Duration.milliseconds(Int64($0)) }
            switch error.reason {
            case "undecodable_reply":
                return PluginUnavailable(.invalidAnswer, "the plugin \(id) answered against its contract")
            case "send_buffer_full": return PluginUnavailable(.busy, "the plugin \(id) does not read its calls")
            default: return PluginUnavailable(.status, "the plugin \(id) cannot judge at present", retryAfter: delay)
            }
        }
    }
}
