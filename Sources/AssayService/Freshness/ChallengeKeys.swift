package import AssayCore
package import Logging
import ServiceLifecycle
import Synchronization

/// Keeps the keys of challenges: loads them, makes new ones before they are needed, and drops what no living challenge
/// can name.
///
/// A key is published in the ledger one `lead` before it is issued under, so that every daemon on the same ledger knows it
/// by then. It is kept, after the next one took over, for the longest time to live plus skew.
package final class ChallengeKeys: Sendable {
    package struct Schedule: Sendable {
        /// How long one key issues, in milliseconds.
        package var period: Int64 = 24 * 3_600_000
        /// How long a key is known before it issues.
        package var lead: Int64 = 600_000
        /// How long a key still opens challenges after the next took over: longest time to live, and skew of 300 s.
        package var keep: Int64 = ChallengeRule.longest + 300_000
        /// How far ahead of the clock a key's date may lie before it is taken for the work of a wrong clock.
        package var skew: Int64 = 300_000
        package init() {}
    }

    private static let secretName = WrappedSecret.challengeKeys
    private let ledger: any SecretStore
    private let vault: SecretVault
    private let clock: any WallClock
    private let schedule: Schedule
    private let logger: Logger
    private struct State {
        var keyring: ChallengeKeyring
        var reloadedAt: Timestamp
        /// The outcome of the last reload, for every caller that asks before the next one is due.
        var reloadFailure: LedgerError?
    }
    private let state: Mutex<State>

    /// Loads the keys, and makes the first one if there is none. Throws if the ledger cannot answer or the vault's key
    /// is not the ledger's.
    package init(
        ledger: any SecretStore, vault: SecretVault, clock: any WallClock, schedule: Schedule = Schedule(), logger: Logger
    ) async throws {
        self.ledger = ledger
        self.vault = vault
        self.clock = clock
        self.schedule = schedule
        self.logger = logger
        state = Mutex(State(keyring: ChallengeKeyring(keys: []), reloadedAt: .distantPast))
        try await rotate()
    }

    package var keyring: ChallengeKeyring { state.withLock { $0.keyring } }

    package func issuingKey(at now: Timestamp) -> ChallengeKey? { keyring.issuing(at: now, lead: schedule.lead) }

    /// Reloads once for a key id that is not known: another daemon may have published it. At most once a second, so that
    /// invented key ids cannot be made to hammer the ledger; in between, an outage stays an outage.
    package func reload(for keyID: UInt32) async throws(LedgerError) {
        let now = clock.now()
        let due = try state.withLock { (state) throws(LedgerError) in
            guard state.keyring.key(keyID) == nil else { return false }
            guard abs(now.milliseconds(since: state.reloadedAt)) >= 1000 else {
                if let failure = state.reloadFailure { throw failure }
                return false
            }
            state.reloadedAt = now
            return true
        }
        guard due else { return }
        do {
            let known = try await read()
            // Where all were removed, there is a new one before the old ones are forgotten.
            if known.keys.isEmpty { try await rotate() } else { use(known) }
        } catch {
            let failure = error as? LedgerError ?? .corrupt("\(error)")
            state.withLock { $0.reloadFailure = failure }
            throw failure
        }
    }

    /// Publishes the next key when the newest has issued for a period less the lead, and removes keys that no living
    /// challenge can name.
    ///
    /// A key from the future, which was published before the clock was set back, is kept and counts for nothing until its
    /// time comes: rotation goes on beside it.
    ///
    /// Where all keys were removed, callers find the old ones until there is a new one, and no moment without any. They find none if none can be made.
    package func rotate() async throws {
        let now = clock.now()
        var known = try await read()
        let newest = known.keys.last { $0.createdAt.milliseconds(since: now) <= schedule.skew }
        if newest.map({ now.milliseconds(since: $0.createdAt) >= schedule.period - schedule.lead }) ?? true {
            do {
                try await publish(after: known, newest: newest, at: now)
                known = try await read()
            } catch {
                use(known)
                throw error
            }
        }
        use(known)
        let keys = known.keys
        for (key, next) in zip(keys, keys.dropFirst())
        where now.milliseconds(since: next.createdAt) >= schedule.lead + schedule.keep {
            try await ledger.removeSecret(name: Self.secretName, number: key.id)
            logger.info("challenge key removed", metadata: ["key_id": "\(key.id)"])
        }
        use(try await read())
    }

    /// Removes every key, so that no challenge issued before is good any more. For a ledger that no daemon has open: after a
    /// backup was restored, which has forgotten what was spent since. Returns how many there were.
    package static func removeAll(from ledger: any SecretStore) async throws(LedgerError) -> Int {
        let keys = try await ledger.secrets().filter { $0.name == secretName }
        for key in keys { try await ledger.removeSecret(name: key.name, number: key.number) }
        return keys.count
    }

    private func publish(after known: ChallengeKeyring, newest: ChallengeKey?, at now: Timestamp) async throws {
        let number = Self.nextNumber(after: newest ?? known.keys.last, in: known)
        let wrapped = try vault.wrap(SecureRandom.bytes(SecretVault.secretLength))
        _ = try await ledger.add(WrappedSecret(name: Self.secretName, number: number, wrapped: wrapped, createdAt: now))
        logger.info("challenge key published", metadata: ["key_id": "\(number)"])
    }

    /// One that no key has. Two daemons that publish at once choose the same, and the ledger keeps the first.
    private static func nextNumber(after newest: ChallengeKey?, in known: ChallengeKeyring) -> UInt32 {
        let taken = Set(known.keys.map(\.id))
        var number = (newest?.id ?? UInt32.random(in: 0..<0xFFFF)) &+ 1
        while taken.contains(number) { number &+= 1 }
        return number
    }

    private func read() async throws -> ChallengeKeyring {
        var keys: [ChallengeKey] = []
        for secret in try await ledger.secrets() where secret.name == Self.secretName {
            keys.append(ChallengeKey(id: secret.number, secret: try vault.unwrap(secret), createdAt: secret.createdAt))
        }
        return ChallengeKeyring(keys: keys)
    }

    private func use(_ keyring: ChallengeKeyring) {
        state.withLock { state in
            state.keyring = keyring
            state.reloadFailure = nil
        }
    }
}
