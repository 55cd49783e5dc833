import AssayCore

/// What makes a request fresh: what the device had to sign, and what an acceptance spends, so that the same evidence is accepted once.
struct Freshness: Sendable {
    let binding: Binding
    /// `nil` for a binding without a challenge.
    let challenge: Challenge?
    /// The challenge, and the uses of evidence that no challenge is bound to.
    private(set) var spends: [LedgerEntry.Spend]
    /// Until when an idempotent repetition is answered.
    let repeatableUntil: Timestamp

    /// How long after a challenge's expiry an equal request still gets its stored verdict, in milliseconds.
    static let repeatableAfterExpiry: Int64 = 600_000
    /// How far clocks of daemons on one ledger may differ, in milliseconds.
    static let skew: Int64 = 300_000

    /// Whether an acceptance spends uses of evidence, which have to be remembered.
    var spendsUses: Bool { spends.count > (challenge == nil ? 0 : 1) }
}

extension Freshness {
    // In an extension, so that the compiler makes the initializer of all fields: one that sets them itself would copy what it built.
    /// Of a request whose form is checked (``AuthorizedRequest/checkForm()``, ``AuthorizedRequest/checkPayload()``). Throws what the app's rules of binding refuse.
    ///
    /// - Parameter challenge: of the request; `nil` for a binding without one.
    init(of admitted: AuthorizedRequest, with challenge: Challenge?) throws(StageError) {
        let binding = try admitted.binding()
        guard let challenge else {
            let spends = admitted.callerOwnedUses
            let end = spends.reduce(admitted.now) { max($0, $1.expiry) }
            self.init(
                binding: binding, challenge: nil, spends: spends,
                repeatableUntil: end.adding(milliseconds: Self.repeatableAfterExpiry))
            return
        }
        var spends = [LedgerEntry.Spend(token: challenge.nonce, expiry: challenge.expiry, expiryIsFixed: true)]
        if admitted.profile.hasUnboundEvidence { spends += admitted.unboundUses }
        self.init(
            binding: binding, challenge: challenge, spends: spends,
            repeatableUntil: challenge.expiry.adding(milliseconds: Self.repeatableAfterExpiry))
    }

    /// Adds the uses of the statements that the evidence makes.
    mutating func add(_ statements: [Needs.Statement], of admitted: AuthorizedRequest) {
        spends += statements.map { statement in
            var token = FieldDigest("assay.statement.use.v1")
            token.append(admitted.request.app.text)
            token.append(statement.digest)
            return LedgerEntry.Spend(
                token: Array(token.finalize().prefix(16)), expiry: statement.acceptableUntil(from: admitted.now))
        }
    }
}

extension AuthorizedRequest {
    /// The uses of evidence that is not bound to the challenge.
    fileprivate var unboundUses: [LedgerEntry.Spend] {
        request.evidence.compactMap { piece in
            profile.verifiers[piece.format]?.replayProtection.remembersUseFor.map { use(piece.digest, for: $0) }
        }
    }

    /// The uses of evidence that the caller answers for.
    fileprivate var callerOwnedUses: [LedgerEntry.Spend] {
        guard case .callerOwned(let hash) = request.binding, let rule = profile.binding.callerOwned else { return [] }
        return request.evidence.compactMap { piece in
            let verifier = profile.verifiers[piece.format]
            guard verifier?.replayProtection != .counter, verifier?.replayProtection != .ownTokens,
                let duration = rule.remembersUse(of: verifier)
            else { return nil }
            return use(verifier?.use(of: piece, for: request.app, vouched: hash) ?? piece.digest, for: duration)
        }
    }

    /// One use of evidence, remembered for `duration` milliseconds.
    private func use(_ digest: [UInt8], for duration: Int64) -> LedgerEntry.Spend {
        LedgerEntry.Spend(token: Array(digest.prefix(16)), expiry: now.adding(milliseconds: duration))
    }
}
