package import AssayCore
package import AssayResults
package import Logging
import ServiceLifecycle
import Synchronization

/// Keeps a ring of keys at what the ledger publishes: publishes the keys of the configuration, reads what other daemons publish and rotate to, and
/// records which key follows one whose lifetime has ended.
package final class ResultKeyTask: Service {
    /// The keys of a configuration, in its order, and how they follow each other.
    package struct Keys: Sendable {
        package let own: [ResultKey]
        package let rule: ResultKeyRule

        package init(_ own: [ResultKey] = [], _ rule: ResultKeyRule = ResultKeyRule()) { (self.own, self.rule) = (own, rule) }
    }

    private struct State {
        var keys: Keys
        /// Grows with each configuration.
        var generation = 0
        /// What the ledger had when it was read last.
        var published: [PublishedResultKey] = []
        /// Why it cannot be read or written; `nil` if it could be.
        var problem: String?
        /// What was logged of each issuer last.
        var told: [ResultPublicKey.Issuer: ResultSigningState] = [:]
    }

    package let ring: ResultKeyRing
    private let ledger: any ResultKeyRegistry
    private let clock: any WallClock
    private let logger: Logger
    private let state: Mutex<State>
    private let turns = ResultKeyTurns()
    private let looks: RepeatedLook

    /// Knows no published key before the first ``refresh(by:)``.
    ///
    /// - Parameter period: between looks at the ledger; at most a minute, so that a rotation at another daemon is known by then.
    package init(
        _ keys: Keys, ring: ResultKeyRing = ResultKeyRing(), ledger: any ResultKeyRegistry, period: Duration = .seconds(20),
        clock: any WallClock, logger: Logger
    ) {
        looks = RepeatedLook(every: period)
        (self.ring, self.ledger, self.clock, self.logger) = (ring, ledger, clock, logger)
        state = Mutex(State(keys: keys))
    }

    /// Follows a new configuration. Its new keys are published soon, and sign nothing before.
    package func use(_ keys: Keys) {
        state.withLock { state in
            state.keys = keys
            state.generation += 1
            ring.learn(own: keys.own, published: state.published, keys.rule)
        }
        looks.wake()
    }

    /// Looks at the ledger until graceful shutdown. While it cannot be read, what was read last stays.
    package func run() async {
        await looks.run {
            guard !self.state.withLock({ $0.keys.own.isEmpty }) else { return }
            do throws(LedgerError) { try await self.refresh(by: .signal) } catch { self.tell(of: error) }
        }
    }

    /// Publishes the keys of the configuration that the ledger does not have, records what is due, and reads what it has. Calls follow each other.
    ///
    /// - Parameter origin: why new keys are published.
    package func refresh(by origin: ChangeOrigin) async throws(LedgerError) {
        try await turns.run { () throws(LedgerError) in try await self.look(origin) }
    }

    private func look(_ origin: ChangeOrigin) async throws(LedgerError) {
        let (keys, generation) = state.withLock { ($0.keys, $0.generation) }
        var published = try await ledger.resultKeys()
        let missing = keys.own.map(\.published).filter { key in !published.contains { $0.key.identifier == key.identifier } }
        if !missing.isEmpty {
            let added = try await ledger.publish(missing, ChangeContext(origin, at: clock.now()))
            if added > 0 { logger.notice("keys of results are published", metadata: ["keys": "\(added)"]) }
            published = try await ledger.resultKeys()
        }
        try await recordTakeOvers(&published, keys.rule)
        state.withLock { [published] state in
            state.published = published
            state.problem = nil
            // A reload meanwhile has asked for another look.
            if state.generation == generation { ring.learn(own: keys.own, published: published, keys.rule) }
        }
        tellOfChanges()
    }

    /// Records keys that follow one whose lifetime has ended. Every daemon comes to the same keys and times, and the ledger records each once.
    private func recordTakeOvers(_ published: inout [PublishedResultKey], _ rule: ResultKeyRule) async throws(LedgerError) {
        for issuer in ResultPublicKey.Issuer.allCases {
            let now = clock.now()
            // No more than there are keys.
            for _ in published.indices {
                guard let next = ResultKeySet(published, of: issuer, rule).takeOver(at: now) else { break }
                _ = try await ledger.setSigning(
                    next.identifier, from: next.starts,
                    ChangeContext(.schedule, at: now, reason: "the key before it has ended"))
                published = try await ledger.resultKeys()
            }
        }
    }

    // MARK: Reports

    /// The issuers as they are now, in the order devices, simulated devices.
    package func signingStates(at now: Timestamp) -> [ResultSigningState] {
        let published = state.withLock { $0.published }
        return ResultPublicKey.Issuer.allCases.compactMap { ResultSigningState($0, ring, published, at: now) }
    }

    private func tell(of error: LedgerError) {
        let isNew = state.withLock { state in
            defer { state.problem = "\(error)" }
            return state.problem == nil
        }
        guard isNew else { return }
        logger.warning(
            "keys of results that other daemons publish or rotate to are not known until the ledger can be read",
            metadata: ["error": "\(error)"])
    }

    /// Logs what has changed of who signs.
    private func tellOfChanges() {
        let states = signingStates(at: clock.now())
        let before = state.withLock { state in
            defer { state.told = Dictionary(states.map { ($0.issuer.kind, $0) }, uniquingKeysWith: { first, _ in first }) }
            return state.told
        }
        for state in states { state.log(after: before[state.issuer.kind], logger) }
    }
}

/// Lets one look at the ledger follow the other.
private actor ResultKeyTurns {
    private var last: Task<Result<Void, LedgerError>, Never>?

    func run(_ look: @escaping @Sendable () async throws(LedgerError) -> Void) async throws(LedgerError) {
        let before = last
        let task = Task { () -> Result<Void, LedgerError> in
            _ = await before?.value
            do throws(LedgerError) { return .success(try await look()) } catch { return .failure(error) }
        }
        last = task
        try await task.value.get()
    }
}
