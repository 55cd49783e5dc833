import AssayCore
import Synchronization

/// One call for any process of a plugin, from the caller's question until its answer.
///
/// The caller is answered once: by the plugin, at the deadline, or when it goes away. The call itself lasts until the plugin has
/// answered or its process has ended, and holds its place that long.
final class SupervisedCall: Sendable {
    enum Work: Sendable {
        case locate(PluginRequest)
        case appraise(PluginRequest)
        /// Locate, look up, and appraise: for evidence that is judged alone.
        case judge(PluginRequest)
        case prepare(body: [UInt8], EvidenceFormat, AppID, Timestamp)
        case observe([GivenVerdict], dropped: UInt64)
        case health
    }

    enum Outcome: Sendable {
        case located(LocatedSubject)
        case answer(PluginSession.Answer)
        case prepared(Result<Preparation, Rejection>)
        case observed
        case health(String?)
    }

    typealias Answer = Result<Outcome, PluginUnavailable>

    private enum State {
        case open((@Sendable (Answer) -> Void)?)
        case answered(Answer)
    }

    let work: Work
    /// Bytes of the evidence.
    let size: Int
    private let state = Mutex(State.open(nil))

    init(_ work: Work) {
        self.work = work
        switch work {
        case .locate(let request), .appraise(let request), .judge(let request): size = request.body.count
        case .prepare(let body, _, _, _): size = body.count
        case .observe(let verdicts, _): size = verdicts.count * 256
        case .health: size = 0
        }
    }

    /// Whether a caller is answered UNAVAILABLE if there is no answer, and counted.
    var isForCaller: Bool {
        switch work {
        case .locate, .appraise, .judge, .prepare: true
        case .observe, .health: false
        }
    }

    /// Sets what gets the answer; called at once if there is one.
    func onAnswer(_ body: @escaping @Sendable (Answer) -> Void) {
        let answer = state.withLock { state -> Answer? in
            if case .answered(let answer) = state { return answer }
            state = .open(body)
            return nil
        }
        if let answer { body(answer) }
    }

    /// The first answer counts. False: there was one.
    @discardableResult
    func answer(_ answer: Answer) -> Bool {
        let (isFirst, body) = state.withLock { state -> (Bool, (@Sendable (Answer) -> Void)?) in
            guard case .open(let body) = state else { return (false, nil) }
            state = .answered(answer)
            return (true, body)
        }
        body?(answer)
        return isFirst
    }

    var isAnswered: Bool {
        state.withLock { state in
            if case .answered = state { true } else { false }
        }
    }

    /// Makes the call.
    func perform(in session: PluginSession, timeout: CallTimeout) async throws(PluginCallFailure) -> Outcome {
        switch work {
        case .locate(let request): return .located(try await session.locate(request, timeout: timeout))
        case .appraise(let request): return .answer(try await session.appraise(request, timeout: timeout))
        case .judge(let request): return .answer(try await session.judge(request, timeout: timeout))
        case .prepare(let body, let format, let app, let now):
            return .prepared(try await session.prepare(body, format: format, app: app, now: now, timeout: timeout))
        case .observe(let verdicts, let dropped):
            try await session.observe(verdicts, dropped: dropped, timeout: timeout)
            return .observed
        case .health: return .health(try await session.health(timeout: timeout))
        }
    }

    /// What a process is blamed for that ends over this call; `nil` for a call without evidence.
    func suspicion(of id: String) -> Suspicion? {
        switch work {
        case .locate(let request), .appraise(let request), .judge(let request):
            Suspicion(id, request.app, request.format, request.body, isPreparation: false)
        case .prepare(let body, let format, let app, _): Suspicion(id, app, format, body, isPreparation: true)
        case .observe, .health: nil
        }
    }

    /// Whether surviving the call alone clears the evidence: Locate is only the beginning of a judgement.
    var clears: Bool {
        if case .locate = work { false } else { true }
    }
}

/// Evidence that may have ended a process.
struct Suspicion: Sendable {
    let id: String
    let app: AppID
    let format: EvidenceFormat
    let body: [UInt8]
    /// SHA-256 of entry, format and body: names the evidence. The app has no part in it, so that evidence is not tried once for each.
    let digest: [UInt8]

    init(_ id: String, _ app: AppID, _ format: EvidenceFormat, _ body: [UInt8], isPreparation: Bool) {
        (self.id, self.app, self.format, self.body) = (id, app, format, body)
        var hash = FieldDigest(isPreparation ? "assay.plugin.quarantine.prepare.v1" : "assay.plugin.quarantine.v1")
        hash.append(id)
        hash.append(format.rawValue)
        hash.append(body)
        digest = hash.finalize()
    }
}
