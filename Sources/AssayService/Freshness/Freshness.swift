package import AssayCore
import Synchronization

/// Determines, before any evidence is read, what the device had to sign and what an acceptance will spend. It spends nothing.
struct Freshness: Sendable {
    let keys: ChallengeKeys
    let attempts: ChallengeAttempts
    let memory: EvidenceUseLimit
    /// Whether the tag of a challenge is checked. False only where evidence is judged away from the daemon that issued its challenge, for a test
    /// of a policy: the outcome proves no freshness.
    let authenticatesChallenges: Bool

    /// The result of ``settle(_:)``.
    struct Outcome: Sendable {
        let binding: Binding
        let challenge: Challenge?
        let spends: [LedgerEntry.Spend]
        /// Until when an idempotent repetition is answered.
        let repeatableUntil: Timestamp
    }

    /// How long after a challenge's expiry an equal request still gets its stored verdict, in milliseconds.
    static let repeatableAfterExpiry: Int64 = 600_000
    /// How far clocks of daemons on one ledger may differ, in milliseconds.
    static let skew: Int64 = 300_000

    func settle(_ admitted: AuthorizedRequest) async throws(StageError) -> Outcome {
        do {
            switch admitted.request.binding {
            case .callerOwned(let hash): return try callerOwned(hash, admitted)
            case .inEvidence: return try inEvidence(admitted)
            case .clientData, .embedded: try refuseUnchallenged(admitted)
            }
            let challenge = try Challenge(parsing: admitted.request.challenge)
            if authenticatesChallenges {
                var keyring = keys.keyring
                if keyring.key(challenge.keyID) == nil {
                    do { try await keys.reload(for: challenge.keyID) } catch { throw StageError.failed(.ledger(error)) }
                    keyring = keys.keyring
                }
                try keyring.open(
                    challenge, app: admitted.request.app, purpose: admitted.request.purpose, context: admitted.request.context,
                    now: admitted.now)
            } else {
                try challenge.check(purpose: admitted.request.purpose, now: admitted.now)
            }
            try expiresInTime(challenge, admitted.now)
            var spends = [LedgerEntry.Spend(token: challenge.nonce, expiry: challenge.expiry, expiryIsFixed: true)]
            if admitted.profile.hasUnboundEvidence { spends += try unboundEvidence(admitted) }
            try attempts.count(challenge, now: admitted.now)
            return Outcome(
                binding: try Self.binding(admitted), challenge: challenge, spends: spends,
                repeatableUntil: challenge.expiry.adding(milliseconds: Self.repeatableAfterExpiry))
        } catch let rejection as Rejection {
            throw .refused(rejection, check: "challenge")
        } catch let interruption as StageError {
            throw interruption
        } catch {
            throw .failed(.inconsistent("freshness could not be settled"))
        }
    }

    /// Refuses a challenge that was issued while the clock ran ahead, and would be valid for longer than the limit.
    private func expiresInTime(_ challenge: Challenge, _ now: Timestamp) throws(Rejection) {
        guard challenge.expiry.milliseconds(since: now) <= ChallengeRule.longest + Self.skew else {
            throw Rejection(.challengeExpired, "issued before the clock was set back; ask for another one")
        }
    }

    /// What the device had to sign, by the app's rules. Throws for a way of binding without a challenge.
    static func binding(_ admitted: AuthorizedRequest) throws(StageError) -> Binding {
        let rule = admitted.profile.binding
        let request = admitted.request
        switch request.binding {
        case .clientData(let payloadHash):
            // What a certificate is issued for is bound by rules of its own.
            guard payloadHash != nil || !rule.payloadRequired || request.purpose == .provision else {
                throw .refused(Rejection(.payloadRequired, "the app binds a payload to every request"), check: "binding")
            }
            guard
                let clientData = ClientData(
                    purpose: request.purpose, challenge: request.challenge, payloadHash: payloadHash)
            else {
                throw .refused(Rejection(.challengeInvalid, "challenge or payload hash has a wrong length"), check: "binding")
            }
            return Binding(clientData)
        case .embedded(let clientData):
            guard let embedded = rule.embedded, !request.purpose.demandsOwnClientData else {
                throw .refused(Rejection(.bindingNotAllowed, "embedded client data is not allowed here"), check: "binding")
            }
            do throws(Rejection) {
                try embedded.find(request.challenge, in: clientData)
            } catch {
                throw .refused(error, check: "binding")
            }
            return Binding(embedded: clientData, challenge: request.challenge)
        case .callerOwned, .inEvidence: throw .failed(.inconsistent("the binding has no challenge"))
        }
    }

    /// The uses of evidence that is not bound to the challenge, to be spent.
    private func unboundEvidence(_ admitted: AuthorizedRequest) throws(StageError) -> [LedgerEntry.Spend] {
        var spends: [LedgerEntry.Spend] = []
        for piece in admitted.request.evidence {
            guard let duration = admitted.profile.verifiers[piece.format]?.replayProtection.remembersUseFor else { continue }
            spends.append(try use(piece.digest, for: duration, admitted))
        }
        return spends
    }

    /// One use of evidence, remembered for `duration` milliseconds.
    private func use(
        _ digest: [UInt8], for duration: Int64, _ admitted: AuthorizedRequest
    ) throws(StageError) -> LedgerEntry.Spend {
        guard !memory.isFull else { throw .failed(.evidenceMemoryFull) }
        return LedgerEntry.Spend(
            token: Array(digest.prefix(16)), expiry: admitted.now.adding(milliseconds: duration))
    }

    // MARK: Statements

    /// The same outcome, with the uses of the statements that the evidence makes.
    func adding(
        _ statements: [Needs.Statement], to outcome: Outcome, _ admitted: AuthorizedRequest
    ) throws(StageError) -> Outcome {
        guard !statements.isEmpty else { return outcome }
        guard !memory.isFull else { throw .failed(.evidenceMemoryFull) }
        let uses = statements.map { statement in
            var token = FieldDigest("assay.statement.use.v1")
            token.append(admitted.request.app.text)
            token.append(statement.digest)
            return LedgerEntry.Spend(
                token: Array(token.finalize().prefix(16)), expiry: statement.acceptableUntil(from: admitted.now))
        }
        return Outcome(
            binding: outcome.binding, challenge: outcome.challenge, spends: outcome.spends + uses,
            repeatableUntil: outcome.repeatableUntil)
    }

    /// Evidence that is a statement of its own: it takes no challenge, and its use is spent once the statement is known.
    private func inEvidence(_ admitted: AuthorizedRequest) throws(StageError) -> Outcome {
        for piece in admitted.request.evidence {
            guard admitted.profile.verifiers[piece.format].map({ $0.replayProtection.needsNoChallenge }) ?? true else {
                throw .refused(Rejection(.bindingNotAllowed, "\(piece.format) needs a challenge"), check: "binding")
            }
        }
        return Outcome(
            binding: .inEvidence, challenge: nil, spends: [],
            repeatableUntil: admitted.now.adding(milliseconds: Self.repeatableAfterExpiry))
    }

    /// Refuses a challenge that no piece of the evidence covers: the verdict would say that a device signed what none has seen.
    private func refuseUnchallenged(_ admitted: AuthorizedRequest) throws(StageError) {
        let profile = admitted.profile
        guard profile.hasStatements || profile.hasOwnTokens else { return }
        let evidence = admitted.request.evidence
        for piece in evidence where profile.verifiers[piece.format]?.replayProtection == .statement {
            throw .refused(Rejection(.bindingNotAllowed, "\(piece.format) takes no challenge"), check: "binding")
        }
        try refuseOwnTokensAlone(admitted, "takes no challenge, and covers no payload: leave client data and challenge out")
    }

    /// Evidence with tokens of its own covers nothing that the caller names, unless other evidence beside it does.
    private func refuseOwnTokensAlone(_ admitted: AuthorizedRequest, _ why: String) throws(StageError) {
        let (profile, evidence) = (admitted.profile, admitted.request.evidence)
        guard profile.hasOwnTokens, let first = evidence.first,
            evidence.allSatisfy({ profile.verifiers[$0.format]?.replayProtection == .ownTokens })
        else { return }
        throw .refused(Rejection(.bindingNotAllowed, "\(first.format) \(why)"), check: "binding")
    }

    private func callerOwned(_ hash: [UInt8], _ admitted: AuthorizedRequest) throws(StageError) -> Outcome {
        let request = admitted.request
        guard let rule = admitted.profile.binding.callerOwned, !request.purpose.demandsOwnClientData else {
            throw .refused(Rejection(.bindingNotAllowed, "a caller-owned binding is not allowed here"), check: "binding")
        }
        try refuseOwnTokensAlone(admitted, "covers no hash that the caller names: leave the binding out")
        var spends: [LedgerEntry.Spend] = []
        var until = admitted.now
        for piece in request.evidence {
            let verifier = admitted.profile.verifiers[piece.format]
            if verifier?.replayProtection == .counter || verifier?.replayProtection == .ownTokens { continue }
            guard verifier?.replayProtection != .statement else {
                throw .refused(Rejection(.bindingNotAllowed, "\(piece.format) is a statement of its own"), check: "binding")
            }
            guard let duration = rule.remembersUse(of: verifier) else {
                throw .refused(
                    Rejection(.bindingNotAllowed, "evidence without a counter needs a challenge"), check: "binding")
            }
            let token = verifier?.use(of: piece, for: request.app, vouched: hash) ?? piece.digest
            let spend = try use(token, for: duration, admitted)
            spends.append(spend)
            until = max(until, spend.expiry)
        }
        return Outcome(
            binding: Binding(callerOwned: hash), challenge: nil, spends: spends,
            repeatableUntil: until.adding(milliseconds: Self.repeatableAfterExpiry))
    }
}

extension Purpose {
    /// Whether the purpose leads to a certificate, which requires Assay's own client data.
    fileprivate var demandsOwnClientData: Bool { self == .provision || self == .renew }
}

/// The ledger's spent horizon as it was seen last: nothing that expires at or below it is accepted. It says before a challenge is
/// issued what the commit would say after it was used.
package final class SpentHorizon: Sendable {
    private let milliseconds: Atomic<Int64>

    package init(_ time: Timestamp = .distantPast) { milliseconds = Atomic(time.unixMilliseconds) }

    package var time: Timestamp { Timestamp(unixMilliseconds: milliseconds.load(ordering: .relaxed)) }

    package func note(_ time: Timestamp) { milliseconds.store(time.unixMilliseconds, ordering: .relaxed) }
}

/// Whether more uses of evidence can be kept.
///
/// Evidence that no challenge binds can be used once only as long as its use is remembered. Uses cannot be forgotten early,
/// so where no more of them may be kept such evidence is not judged until others have expired.
///
/// The flag is in the memory of one process, not in the ledger: each of several daemons on a ledger learns it from its own
/// maintenance.
package final class EvidenceUseLimit: Sendable {
    private let full = Atomic(false)

    package init() {}

    /// True if no further use may be kept. Said once in a period of maintenance, so the limit is passed by what is
    /// accepted in one.
    package var isFull: Bool { full.load(ordering: .relaxed) }

    /// Returns true if that is news.
    func note(isFull: Bool) -> Bool { full.exchange(isFull, ordering: .relaxed) != isFull }
}
