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

        init(_ own: [[UInt8]: ResultKey], _ sets: [ResultPublicKey.Issuer: ResultKeySet]) {
            (self.own, self.sets) = (own, sets)
        }
    }

    private let knowledge = Mutex(Knowledge([:], [:]))

    package init() {}

    /// - Parameters:
    ///   - own: the keys of the configuration in force.
    ///   - published: all keys of the ledger, in the order in which they were published.
    package func learn(own: [ResultKey], published: [PublishedResultKey], _ rule: ResultKeyRule) {
        let issuers = Set(own.map(\.issuer.kind))
        let next = Knowledge(
            Dictionary(own.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first }),
            Dictionary(uniqueKeysWithValues: issuers.map { ($0, ResultKeySet(published, of: $0, rule)) }))
        knowledge.withLock { $0 = next }
    }

    /// The key that signs for an issuer. Throws `result_key_unavailable` if none does or this daemon does not have it, and
    /// `result_of_simulated_device` if the configuration has no issuer for simulated devices.
    package func signer(_ issuer: ResultPublicKey.Issuer, at now: Timestamp) throws(ResultProblem) -> ResultKey {
        let known = knowledge.withLock { $0 }
        guard let set = known.sets[issuer] else { throw issuer == .devices ? .keyUnavailable : .simulated }
        guard let turn = set.signing(at: now), let key = known.own[turn.identifier] else { throw .keyUnavailable }
        return key
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
}
