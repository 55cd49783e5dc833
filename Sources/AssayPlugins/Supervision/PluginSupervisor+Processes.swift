import AssayCore
import Crypto
import Logging
import Synchronization

extension PluginSupervisor {
    // MARK: Starting

    private enum Step {
        case start
        case wait(until: ContinuousClock.Instant?)
        case end
    }

    /// Runs one process after the other, until the end.
    func keepRunning(_ slot: Int) async {
        while true {
            switch step() {
            case .end: return
            case .wait(let instant): await slots[slot].sleep(until: instant)
            case .start: await runOnce(isFirst: slot == 0)
            }
        }
    }

    private func step() -> Step {
        state.withLock { state in
            if state.ending != nil { return .end }
            guard state.isEnabled, state.refusal == nil else { return .wait(until: nil) }
            let now = ContinuousClock.now
            switch state.schedule.breaker {
            case .closed: break
            case .open(let until):
                guard until <= now else { return .wait(until: until) }
                state.schedule.halfOpen()
            case .halfOpen: return .wait(until: nil)
            }
            if let notBefore = state.schedule.notBefore, now < notBefore { return .wait(until: notBefore) }
            state.starting += 1
            return .start
        }
    }

    /// Starts a process, and waits for its end.
    private func runOnce(isFirst: Bool) async {
        let session: PluginSession
        do throws(StartFailure) { session = try await open() } catch {
            failed(error)
            if isFirst { firstStart.fulfil(error.isRefusal ? .refused(error.description) : .failed(error.description)) }
            return
        }
        let configuration = (try? entry.configuration.message(for: session.description)).map { Self.digest(of: $0) }
        let (number, gone) = update { state, effects in
            let number = state.newNumber()
            let process = SupervisionState.Process(session, startedAt: environment.clock.now(), now: .now)
            state.starting -= 1
            state.processes[number] = process
            (state.description, state.report) = (session.description, session.process.report)
            (state.problem, state.configurationDigest) = (nil, configuration)
            state.dispatch(at: .now, &effects)
            effects.isChanged = true
            effects.wakesWatch = true
            effects.lines.append(
                .init(
                    kind: .started, level: .info, text: "the plugin is ready",
                    fields: ["pid": "\(session.process.id)", "version": "\(session.description.version)"]))
            return (number, process.gone)
        }
        if isFirst { firstStart.fulfil(.ready) }
        await follow(session, number)
        await gone.value
    }

    static func digest(of configuration: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: configuration)) }

    /// Starts a process that can be used. Counts the start.
    func open() async throws(StartFailure) -> PluginSession {
        state.withLock { $0.counts.starts += 1 }
        let image: PluginImage
        do throws(PluginFileError) {
            image = try PluginImage(entry, copies: environment.stateFolder + "/copies", user: environment.user)
        } catch { throw .refused(error.description) }
        var setup = PluginSession.Setup(
            name: entry.name, launch: image.launch(by: environment.launcher, as: environment.user),
            configuration: entry.configuration, apps: entry.apps, services: entry.services, host: host)
        setup.startDeadline = environment.times.start
        setup.needs = image
        let session: PluginSession
        do throws(SessionFailure) {
            session = try await PluginSession.open(setup, daemonVersion: environment.daemonVersion)
        } catch { throw StartFailure(error) }
        if let problem = entry.problem(with: session.description) {
            _ = await session.close(grace: environment.times.stopGrace)
            throw .refused(problem)
        }
        return session
    }

    private func failed(_ failure: StartFailure) {
        update { state, effects in
            state.starting -= 1
            guard state.ending == nil else { return }
            effects.isChanged = true
            switch failure {
            case .refused(let why):
                state.refusal = why
                effects.lines.append(.init(kind: .refused, level: .error, text: "the plugin cannot be used: \(why)"))
                if !state.isReady, let error = state.refusal(at: .now) {
                    effects.answers += state.queue.removeAll().map { ($0, .failure(error)) }
                }
            case .failed(let why, let lines):
                (state.problem, state.lastLines) = (why, lines)
                effects.lines.append(.init(kind: .failed, level: .warning, text: "the plugin was not started: \(why)"))
                state.died(at: .now, &effects)
            }
        }
    }

    // MARK: The end of a process

    /// Waits until a process has ended and all that it answered is read, and then settles what it leaves.
    private func follow(_ session: PluginSession, _ number: UInt64) async {
        let exit = environment.times.exit
        // A process that ends its connection has ended its work, whether or not it lives on.
        let connection = Task {
            await session.disconnected()
            if session.isUnread { return kill(number, because: .answersNotRead) }
            try? await Task.sleep(for: exit)
            if session.process.endIfEnded == nil { kill(number, because: .connection) }
        }
        let end = await session.process.end
        let timer = Task {
            // Another process holds the socket.
            guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            session.disconnect()
        }
        await session.disconnected()
        timer.cancel()
        connection.cancel()
        update { state, effects in
            state.processes[number]?.end = end
            bury(number, &state, &effects)
        }
    }

    /// Removes a process that has ended, once each of its calls has its answer or has lost it: blames calls, answers their callers, and decides when
    /// it is started again.
    func bury(_ number: UInt64, _ state: inout SupervisionState, _ effects: inout SupervisionEffects) {
        guard let process = state.processes[number], let end = process.end,
            process.inFlight.values.allSatisfy(\.isLost)
        else { return }
        state.processes[number] = nil
        effects.gone.append(process.gone)
        let lost = process.inFlight.values.sorted { $0.due < $1.due }
        blame(lost, process, end, &state, &effects)
        if process.isClosing {
            effects.lines.append(
                .init(
                    kind: .ended, level: .info, text: "a process of the plugin was ended, and \(end)",
                    fields: ["pid": "\(process.session.process.id)"]))
        } else {
            let lines = process.session.process.lastLines
            let how = process.killed.map { "\(end): \($0.sentence)" } ?? "\(end)"
            (state.lastLines, state.problem) = (lines, "its process \(how)")
            effects.lines.append(
                .init(
                    kind: .ended, level: .warning, text: "a process of the plugin \(how)",
                    fields: ["pid": "\(process.session.process.id)", "calls": "\(lost.count)"].merging(
                        lines.last.map { ["last_line": "\($0)"] } ?? [:]
                    ) { $1 }))
            state.died(at: .now, &effects)
        }
        let error = PluginUnavailable(
            .ended, "the process of the plugin \(entry.id) ended before it answered", retryAfter: entry.restart.firstDelay)
        for flight in lost { effects.answers.append((flight.call, .failure(error))) }
        if state.ending != nil || !state.isEnabled { state.close(&effects) }
        if !state.isReady { effects.isChanged = true }
        effects.wakesWatch = true
    }

    /// The calls that a death is blamed on become suspects, before their callers are answered and may ask again.
    private func blame(
        _ lost: [SupervisionState.InFlight], _ process: SupervisionState.Process, _ end: ProcessEnd,
        _ state: inout SupervisionState, _ effects: inout SupervisionEffects
    ) {
        let blamed: [SupervisionState.InFlight]
        switch process.killed {
        case .deadline: blamed = lost.filter(\.isBlamed)
        case .connection, .answersNotRead: blamed = lost
        case .silence: blamed = []
        case nil: blamed = !process.isClosing && process.session.process.isAtFault(in: end) ? lost : []
        }
        let digests = Set(blamed.compactMap { $0.call.suspicion(of: entry.id)?.digest })
        guard !digests.isEmpty else { return }
        quarantine.suspect(Array(digests))
        // The same evidence may wait already.
        let sizes = Set(blamed.map(\.call.size))
        for call in state.queue.calls where sizes.contains(call.size) {
            guard let suspicion = call.suspicion(of: entry.id), digests.contains(suspicion.digest) else { continue }
            state.queue.remove(call)
            effects.alone.append((call, suspicion))
        }
        effects.lines.append(
            .init(
                kind: .suspects, level: .notice,
                text: digests.count == 1
                    ? "one piece of evidence was in flight; it is judged alone if it comes again"
                    : "\(digests.count) pieces of evidence were in flight; they are judged alone if they come again"))
    }
}

extension SupervisionState {
    /// Counts the death of a process, and sets when another is started.
    mutating func died(at now: Instant, _ effects: inout SupervisionEffects) {
        counts.deaths += 1
        schedule.died(at: now, random: Double.random(in: -1...1))
        // Other tasks than that of the dead process wait for the breaker.
        effects.wakesSlots = true
        guard case .open = schedule.breaker, !isReady else { return }
        let openFor = schedule.openFor
        effects.lines.append(
            .init(
                kind: .broken, level: .error,
                text:
                    "the plugin ended too often: its circuit breaker is open for \(openFor); assay plugin enable \(id) closes it"
            ))
        guard let error = refusal(at: now) else { return }
        effects.answers += (queue.removeAll() + aloneQueue.map(\.call)).map { ($0, .failure(error)) }
        aloneQueue = []
        effects.isChanged = true
    }
}

extension PluginProcess {
    /// Whether the process ended by what it did.
    func isAtFault(in end: ProcessEnd) -> Bool { excessThreads != nil || end.isOwnFault }
}

extension ProcessEnd {
    /// Whether the process ended by what it did. Signals that only others send, and those of limits of the operator, are no fault of the evidence.
    var isOwnFault: Bool {
        switch self {
        case .exited: true
        // SIGHUP, SIGINT, SIGKILL, SIGTERM, SIGXCPU: the same numbers on all platforms of Linux.
        case .killed(let signal): ![1, 2, 9, 15, 24].contains(signal)
        }
    }
}

/// Why a process was not started.
enum StartFailure: Error, Sendable, CustomStringConvertible {
    /// Trying again helps only after a change.
    case refused(String)
    case failed(String, lastLines: [String])

    init(_ failure: SessionFailure) {
        switch failure {
        case .launch(.step), .configuration, .contract: self = .refused(failure.description)
        case .launch(.noReport), .launch(.system): self = .failed(failure.description, lastLines: [])
        case .lost(_, _, let lines): self = .failed(failure.description, lastLines: lines)
        }
    }

    var description: String {
        switch self {
        case .refused(let why), .failed(let why, _): why
        }
    }

    var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}

extension PluginEntry {
    /// What the entry wants and the plugin does not declare.
    func problem(with description: PluginDescription) -> String? {
        let declared = description.formats.map(\.name)
        let missing = formats.filter { !declared.contains($0) }
        guard missing.isEmpty else {
            return "the catalog's entry names formats that the plugin does not appraise: "
                + missing.map(\.rawValue).joined(separator: ", ") + "; it appraises "
                + (declared.isEmpty ? "none" : declared.map(\.rawValue).joined(separator: ", "))
                + "; correct \"formats\" in \(file)"
        }
        guard !observes || description.observes else {
            return "the catalog's entry says that the plugin observes, and the plugin does not"
        }
        return nil
    }
}
