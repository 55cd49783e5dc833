package import AssayCore
import Synchronization

/// The keys that a daemon can sign results with, beside what the ledger publishes of all keys: who asks is told the key that signs.
///
/// What signs asks for each result; the answer rests on what was learnt last, and takes neither the ledger nor an await.
package final class ResultKeyRing: Sendable {
    /// What is known at a time. It is exchanged as a whole.
    private final class Knowledge: Sendable {
        let own: [[UInt8]: ResultKey]
        let sets: [ResultPublicKey.Issuer: ResultKeySet]
        /// By the key that certified them, or could not.
        let shortLived: [[UInt8]: ShortLived]
        /// The turns of each issuer's keys, with the key where it is one of `own`: each result asks for one.
        private let turns: [ResultPublicKey.Issuer: [(turn: ResultKeyTurn, key: ResultKey?)]]

        init(
            _ own: [[UInt8]: ResultKey], _ sets: [ResultPublicKey.Issuer: ResultKeySet], _ shortLived: [[UInt8]: ShortLived]
        ) {
            (self.own, self.sets, self.shortLived) = (own, sets, shortLived)
            turns = sets.mapValues { $0.turns.map { ($0, own[$0.identifier]) } }
        }

        func signer(_ issuer: ResultPublicKey.Issuer, at now: Timestamp) throws(ResultProblem) -> ResultKey {
            guard let turns = turns[issuer] else { throw issuer == .devices ? .keyUnavailable : .simulated }
            // By index: an iterator would copy each turn.
            let signing = turns.indices.first { turns[$0].turn.state(at: now) == .signing }
            guard let signing, let key = turns[signing].key else { throw .keyUnavailable }
            return key
        }
    }

    /// What signs results in place of a key that certifies.
    private struct ShortLived {
        /// `nil`: none was certified yet.
        var key: ResultKey?
        /// Why none follows it, in a sentence; `nil` if nothing is known.
        var problem: String?
    }

    private let knowledge = Mutex(Knowledge([:], [:], [:]))

    package init() {}

    /// Keys in memory stay, as long as the key that certified them does.
    ///
    /// - Parameters:
    ///   - own: the keys of the configuration in force.
    ///   - published: all keys of the ledger, in the order in which they were published.
    package func learn(own: [ResultKey], published: [PublishedResultKey], _ rule: ResultKeyRule) {
        let issuers = Set(own.map(\.issuer.kind))
        let keys = Dictionary(own.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        let sets = Dictionary(uniqueKeysWithValues: issuers.map { ($0, ResultKeySet(published, of: $0, rule)) })
        knowledge.withLock { known in
            let kept = known.shortLived.filter { identifier, shortLived in
                guard let key = keys[identifier], key.certification != nil else { return false }
                return shortLived.key.map { $0.issuer == key.issuer } ?? true
            }
            known = Knowledge(keys, sets, kept)
        }
    }

    /// The published key that signs for an issuer: status lists, and results unless it certifies others for them. Throws `result_key_unavailable` if
    /// none does or this daemon does not have it, and `result_of_simulated_device` if the configuration has no issuer for simulated devices.
    package func signer(_ issuer: ResultPublicKey.Issuer, at now: Timestamp) throws(ResultProblem) -> ResultKey {
        try knowledge.withLock { $0 }.signer(issuer, at: now)
    }

    /// The key that signs results for an issuer: the published one, or the one in memory that it certified. Throws as ``signer(_:at:)``, and
    /// `results_unavailable` if there is none in memory or its certificate is not valid.
    package func resultSigner(_ issuer: ResultPublicKey.Issuer, at now: Timestamp) throws(ResultProblem) -> ResultKey {
        let known = knowledge.withLock { $0 }
        let key = try known.signer(issuer, at: now)
        guard key.certification != nil else { return key }
        guard let shortLived = known.shortLived[key.identifier]?.key, shortLived.isValid(at: now) else { throw .unavailable }
        return shortLived
    }

    /// The keys of an issuer; `nil` if the configuration has no such issuer.
    package func keySet(_ issuer: ResultPublicKey.Issuer) -> ResultKeySet? { knowledge.withLock { $0 }.sets[issuer] }

    /// An issuer as the configuration has it.
    package func issuer(_ kind: ResultPublicKey.Issuer) -> ResultIssuer? {
        knowledge.withLock { $0 }.own.values.first { $0.issuer.kind == kind }?.issuer
    }

    /// Whether this daemon has a key.
    package func holds(_ identifier: [UInt8]) -> Bool { knowledge.withLock { $0 }.own[identifier] != nil }

    /// A key that this daemon has.
    package func key(_ identifier: [UInt8]) -> ResultKey? { knowledge.withLock { $0 }.own[identifier] }

    // MARK: Keys in memory

    /// The keys of this daemon that certify others, but those that sign no more.
    package func certifying(at now: Timestamp) -> [ResultKey] {
        let known = knowledge.withLock { $0 }
        return known.own.values.filter { key in
            guard key.certification != nil else { return false }
            let turn = known.sets[key.issuer.kind]?.turns.first { $0.identifier == key.identifier }
            return switch turn?.state(at: now) {
            case .next, .signing, nil: true
            case .last, .retired: false
            }
        }
    }

    /// The key in memory that a key certified last.
    package func shortLived(under key: ResultKey) -> ResultKey? {
        knowledge.withLock { $0 }.shortLived[key.identifier]?.key
    }

    /// Lets a key in memory sign results from now on in place of the one that certified it.
    package func use(_ shortLived: ResultKey, under key: ResultKey) {
        change(key) { $0 = ShortLived(key: shortLived) }
    }

    /// Remembers why a key certified no other. The one before signs on.
    package func note(_ problem: String, of key: ResultKey) {
        change(key) { $0.problem = problem }
    }

    /// Nothing, where the key is no more one of this daemon that certifies for this issuer.
    private func change(_ key: ResultKey, _ body: (inout ShortLived) -> Void) {
        knowledge.withLock { known in
            guard let own = known.own[key.identifier], own.certification != nil, own.issuer == key.issuer else { return }
            var shortLived = known.shortLived
            body(&shortLived[key.identifier, default: ShortLived()])
            known = Knowledge(known.own, known.sets, shortLived)
        }
    }

    /// Why a key of this daemon signs no results now, itself or by a key in memory, in a sentence; `nil` if nothing is known.
    package func problem(of key: ResultKey, at now: Timestamp) -> String? {
        guard key.certification != nil else { return key.problem }
        let known = knowledge.withLock { $0 }.shortLived[key.identifier]
        if let shortLived = known?.key, shortLived.isValid(at: now) { return nil }
        let why = known?.problem ?? key.problem
        // Before the first attempt.
        guard why != nil || known?.key != nil else { return nil }
        let kid = Base64.url.encode(key.identifier)
        return "the key \(kid) has certified no key that signs for it" + (why.map { ": \($0)" } ?? "")
    }

    /// Why no key in memory will follow the one that signs results under a key now, in a sentence; `nil` if nothing is known.
    package func renewalProblem(of key: ResultKey, at now: Timestamp) -> String? {
        guard let known = knowledge.withLock({ $0 }).shortLived[key.identifier], let problem = known.problem,
            let end = known.key?.certificate?.notAfter, now <= end
        else { return nil }
        let kid = Base64.url.encode(key.identifier)
        return "the key \(kid) certifies no other now, and the last one signs until \(end): \(problem)"
    }
}
