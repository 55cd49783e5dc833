package import AssayCore
package import AssayResults
import Logging

/// Whether this daemon signs results of an issuer, with which key, and until when.
package struct ResultSigningState: Hashable, Sendable {
    package let issuer: ResultIssuer
    /// The key that signs now, at any daemon that has it; `nil`: none does.
    package let signing: ResultKeyTurn?
    /// When nothing is signed any more unless a key is added; `nil` with `signing`.
    package let ends: Timestamp?
    /// The key that signs next, and from when on, if that is known.
    package let next: ResultKeyTurn?
    /// The published keys that sign nothing yet, with or without a time.
    package let waiting: Int
    /// The published keys that sign no more.
    package let past: Int
    /// Why this daemon signs nothing now, in a sentence; `nil` if it does.
    package let problem: String?
    /// Why this daemon will sign nothing once the next key signs, or the one in memory has ended; `nil` if nothing is known.
    package let nextProblem: String?

    /// `nil` if the configuration has no such issuer.
    init?(_ kind: ResultPublicKey.Issuer, _ ring: ResultKeyRing, _ published: [PublishedResultKey], at now: Timestamp) {
        guard let issuer = ring.issuer(kind), let set = ring.keySet(kind) else { return nil }
        self.issuer = issuer
        signing = set.signing(at: now)
        ends = set.signingEnds(from: now)
        next = set.following(at: now)
        waiting = set.turns.count { $0.state(at: now) == .next }
        past = set.turns.count { $0.state(at: now) == .last }
        let foreign = Self.foreignKey(kind, ring, published)
        problem = Self.problem(set, ring, at: now).map { foreign ?? $0 }
        nextProblem = foreign ?? Self.nextProblem(signing, next, ring, at: now)
    }

    private static func problem(_ set: ResultKeySet, _ ring: ResultKeyRing, at now: Timestamp) -> String? {
        guard let turn = set.signing(at: now) else {
            guard let ended = set.turns.compactMap(\.ends).filter({ $0 <= now }).max() else { return "no key is published yet" }
            return "the lifetime of the last key ended at \(ended), and no other key was published long enough"
        }
        guard let key = ring.key(turn.identifier) else {
            return "this daemon does not have the key \(turn.kid), which signs now"
        }
        return ring.problem(of: key, at: now)
    }

    private static func nextProblem(
        _ signing: ResultKeyTurn?, _ next: ResultKeyTurn?, _ ring: ResultKeyRing, at now: Timestamp
    ) -> String? {
        if let next, let starts = next.starts, !ring.holds(next.identifier) {
            return "this daemon does not have the key \(next.kid), which signs from \(starts) on"
        }
        return signing.flatMap { ring.key($0.identifier) }.flatMap { ring.renewalProblem(of: $0, at: now) }
    }

    /// What is said of a key of this issuer that was published as one of the other.
    private static func foreignKey(
        _ kind: ResultPublicKey.Issuer, _ ring: ResultKeyRing, _ published: [PublishedResultKey]
    ) -> String? {
        let foreign = published.first { known in
            known.key.issuer != kind && ring.key(known.key.identifier)?.issuer.kind == kind
        }
        return foreign.map {
            "the key \(Base64.url.encode($0.key.identifier)) was published as one of the other issuer, and signs nothing for this one"
        }
    }
}

extension ResultSigningState {
    /// Logs what is otherwise than before.
    func log(after before: ResultSigningState?, _ logger: Logger) {
        var place: Logger.Metadata = ["issuer": "\(issuer.address)"]
        if let signing { place["kid"] = "\(signing.kid)" }
        if let problem {
            guard problem != before?.problem else { return }
            place["problem"] = "\(problem)"
            logger.error("no results are signed", metadata: place)
        } else if before?.problem != nil || before?.signing?.identifier != signing?.identifier {
            if let ends { place["until"] = "\(ends)" }
            logger.notice("results are signed", metadata: place)
        }
        if let nextProblem, nextProblem != before?.nextProblem {
            logger.warning("results will not be signed by this daemon", metadata: ["problem": "\(nextProblem)"])
        }
    }
}

extension ResultKeyTurn {
    /// `kid`: the key's thumbprint in base64url.
    package var kid: String { Base64.url.encode(identifier) }
}
