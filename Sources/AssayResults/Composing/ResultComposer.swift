package import AssayCore
import AssayEncoding

/// Makes the results of one app under its rule; a changed rule makes another one. A class, so that passing it on costs one count.
package final class ResultComposer: Sendable {
    package let rule: ResultRule
    private let audiences: [String: ResultAudience]

    /// - Parameter secret: the ledger's secret from which devices are named to audiences, 32 bytes. It is used if the rule names them so.
    package init(_ rule: ResultRule, secret: [UInt8]) {
        self.rule = rule
        audiences = Dictionary(
            rule.audiences.map { ($0, ResultAudience($0, rule.deviceNaming, secret: secret)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// When a result of a verdict that was given at `time` ends. However late it is signed, and however often, the end is the same.
    package func expiry(of shape: ResultShape, decidedAt time: Timestamp) -> Timestamp {
        let lifetime =
            switch shape {
            case .session: rule.session.lifetime
            case .walletInstance: min(rule.lifetime, ResultProfiles.longestWalletInstance)
            case .earJWT, .earCWT, .clientAttestation, .keyAttestation, .plainJWS, .plainCOSE: rule.lifetime
            }
        return time.adding(milliseconds: lifetime)
    }

    /// Until when the place in a status list that a result names must be kept.
    package func statusEnd(of shape: ResultShape, decidedAt time: Timestamp) -> Timestamp {
        let period = shape.hasCertificates ? ResultProfiles.statusPeriodOfWallet : 0
        return expiry(of: shape, decidedAt: time).adding(milliseconds: period)
    }

    /// Throws as ``draft(_:_:under:status:at:)`` does, and writes nothing: what a result takes elsewhere is taken after it. Only that a verdict could not be
    /// written as JSON shows later.
    package func check(
        _ request: ResultRequest, _ facts: ResultFacts, under key: ResultKey, at now: Timestamp
    ) throws(ResultProblem) {
        let terms = try terms(
            request, simulated: facts.simulated, from: facts.decidedAt, under: key, status: nil, identifier: [], at: now)
        switch request.shape {
        case .session: _ = try SessionToken(facts, terms, rule.session)
        case .clientAttestation: _ = try ClientAttestation(facts, terms, rule)
        case .walletInstance: _ = try WalletInstanceAttestation(facts, terms, rule)
        case .keyAttestation: _ = try KeyAttestation(facts, terms, rule)
        case .earJWT, .earCWT, .plainJWS, .plainCOSE: break
        }
    }

    /// The result that a request asks for, ready to be signed.
    ///
    /// - Parameters:
    ///   - facts: of an accepted verdict.
    ///   - key: the one of the issuer for such devices that signs at `now`.
    ///   - status: the device's place for the audience; shapes that have none ignore it (``ResultShape/takesStatus``).
    package func draft(
        _ request: ResultRequest, _ facts: ResultFacts, under key: ResultKey, status: ResultStatusReference? = nil,
        at now: Timestamp
    ) throws(ResultProblem) -> ResultDraft {
        let terms = try terms(request, simulated: facts.simulated, from: facts.decidedAt, under: key, status: status, at: now)
        return try draft(request.shape, facts, terms)
    }

    /// The answer to a look-up that a request asks for, ready to be signed.
    ///
    /// - Parameter request: of a plain shape; `result_not_allowed` for the others, which speak of a verdict that is given now.
    package func draft(
        _ request: ResultRequest, _ facts: LookupFacts, under key: ResultKey, at now: Timestamp
    ) throws(ResultProblem) -> ResultDraft {
        guard request.shape.isPlain else { throw .notAllowed }
        let terms = try terms(request, simulated: facts.simulated, from: facts.answeredAt, under: key, status: nil, at: now)
        let lookup = PlainLookup(facts, terms)
        guard request.shape.isBinary else {
            return ResultDraft(request.shape, terms, key.heads.lookupJWS, try lookup.json())
        }
        return ResultDraft(request.shape, terms, lookup.writer, lookup.message)
    }

    /// - Parameters:
    ///   - time: from which the result's life is counted.
    ///   - identifier: of the result; `nil`: a random one.
    private func terms(
        _ request: ResultRequest, simulated: Bool, from time: Timestamp, under key: ResultKey, status: ResultStatusReference?,
        identifier: [UInt8]? = nil, at now: Timestamp
    ) throws(ResultProblem) -> ResultTerms {
        let shape = request.shape
        guard rule.shapes.contains(shape), let audience = audiences[request.audience] else { throw .notAllowed }
        // Nothing that a simulated device got is signed by the issuer of real ones, nor the reverse.
        guard !simulated || key.issuer.kind == .simulatedDevices else { throw .simulated }
        guard simulated || key.issuer.kind == .devices, key.canSign(shape) else { throw .keyUnavailable }
        let expiry = expiry(of: shape, decidedAt: time)
        guard now < expiry else { throw .tooOld }
        // A reader refuses it once the certificate has ended.
        if let certificate = key.certificate, certificate.notAfter < expiry { throw .unavailable }
        return ResultTerms(
            key: key, audience: audience, issuedAt: time.unixMilliseconds / 1000,
            expiresAt: expiry.unixMilliseconds / 1000, identifier: identifier ?? SecureRandom.identifier(),
            nonce: request.nonce, status: status)
    }

    private func draft(
        _ shape: ResultShape, _ facts: ResultFacts, _ terms: ResultTerms
    ) throws(ResultProblem) -> ResultDraft {
        let heads = terms.key.heads
        switch shape {
        case .earJWT: return ResultDraft(shape, terms, heads.earJWT, EntityAttestationResult(facts, terms).json)
        case .earCWT: return ResultDraft(shape, terms, heads.earCWT, EntityAttestationResult(facts, terms).cbor)
        case .session:
            return ResultDraft(shape, terms, heads.session, try SessionToken(facts, terms, rule.session).json)
        case .clientAttestation:
            return ResultDraft(shape, terms, heads.clientAttestation, try ClientAttestation(facts, terms, rule).json)
        case .walletInstance:
            guard let head = heads.walletInstance else { throw .keyUnavailable }
            return ResultDraft(shape, terms, head, try WalletInstanceAttestation(facts, terms, rule).json)
        case .keyAttestation:
            guard let head = heads.keyAttestation else { throw .keyUnavailable }
            return ResultDraft(shape, terms, head, try KeyAttestation(facts, terms, rule).json)
        case .plainJWS: return ResultDraft(shape, terms, heads.plainJWS, try PlainVerdict(facts, terms).json())
        case .plainCOSE:
            let verdict = PlainVerdict(facts, terms)
            return ResultDraft(shape, terms, verdict.writer, verdict.message)
        }
    }
}
