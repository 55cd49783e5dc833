import AssayCore

/// The rules of form: what is refused for how the request is put together, before any fact is fetched.
extension AuthorizedRequest {
    /// Fails for evidence of a plugin that has not said yet what it judges, and refuses a binding that the evidence does not allow.
    func checkForm() throws(StageError) {
        try checkAvailability()
        try checkParts()
        switch request.binding {
        case .callerOwned: try checkCallerOwned()
        case .inEvidence: try checkStatements()
        case .clientData, .embedded: try refuseUnchallenged()
        }
    }

    private func checkAvailability() throws(StageError) {
        guard !profile.unavailableFormats.isEmpty else { return }
        for piece in request.evidence {
            guard let why = profile.unavailableFormats[piece.format] else { continue }
            throw .failed(.evidenceUnavailable(check: "plugin", detail: why))
        }
    }

    // MARK: Binding

    /// Refuses a part of a payload without a piece beside it whose signature covers a payload that Assay knows.
    private func checkParts() throws(StageError) {
        guard profile.hasParts,
            let part = request.evidence.first(where: { profile.verifiers[$0.format]?.replayProtection == .payload })
        else { return }
        switch request.binding {
        case .clientData(.some): break
        // Its signature covers the payload that it names, or it is refused.
        case .inEvidence where statedCapture != nil: return
        case .clientData, .embedded, .callerOwned, .inEvidence:
            throw .payloadNotBound(
                "\(part.format) is a part of a payload, and the binding \(request.binding.whyItNamesNoPayload)")
        }
        // Evidence that the app does not accept is refused for that.
        let isBound = request.evidence.contains { piece in
            switch profile.verifiers[piece.format]?.replayProtection {
            case .challenge, .counter, nil: true
            case .rememberedUse, .statement, .ownTokens, .payload: false
            }
        }
        guard isBound else {
            throw .payloadNotBound("\(part.format) is a part of a payload, and no evidence beside it binds a payload")
        }
    }

    private func checkCallerOwned() throws(StageError) {
        guard let rule = profile.binding.callerOwned, !request.purpose.demandsOwnClientData else {
            throw .bindingNotAllowed("a caller-owned binding is not allowed here")
        }
        try refuseOwnTokensAlone("covers no hash that the caller names: leave the binding out")
        for piece in request.evidence {
            let verifier = profile.verifiers[piece.format]
            switch verifier?.replayProtection {
            case .counter, .ownTokens: continue
            case .payload: throw .payloadNotBound("only the caller knows which payload \(piece.format) is a part of")
            case .statement: throw .bindingNotAllowed("\(piece.format) is a statement of its own")
            case .challenge, .rememberedUse, nil:
                guard rule.remembersUse(of: verifier) != nil else {
                    throw .bindingNotAllowed("evidence without a counter needs a challenge")
                }
            }
        }
    }

    /// Evidence that is a statement of its own takes no challenge. Beside a capture that was signed offline stand parts of its payload alone.
    private func checkStatements() throws(StageError) {
        for piece in request.evidence {
            guard let protection = profile.verifiers[piece.format]?.replayProtection else { continue }
            // Refused unless a piece beside it binds a payload (``checkParts()``).
            if protection == .payload { continue }
            guard protection.needsNoChallenge else { throw .bindingNotAllowed("\(piece.format) needs a challenge") }
            guard piece.format == .offlineSignature || !request.hasCapture else {
                throw .bindingNotAllowed(
                    "\(piece.format) is no part of the payload that the offline signature beside it covers")
            }
        }
    }

    /// Refuses a challenge that no piece of the evidence covers: the verdict would say that a device signed what none has seen.
    private func refuseUnchallenged() throws(StageError) {
        guard profile.hasStatements || profile.hasOwnTokens else { return }
        for piece in request.evidence where profile.verifiers[piece.format]?.replayProtection == .statement {
            throw .bindingNotAllowed("\(piece.format) takes no challenge")
        }
        try refuseOwnTokensAlone("takes no challenge, and covers no payload: leave client data and challenge out")
    }

    /// Evidence with tokens of its own covers nothing that the caller names, unless other evidence beside it does.
    private func refuseOwnTokensAlone(_ why: String) throws(StageError) {
        guard profile.hasOwnTokens, let first = request.evidence.first,
            request.evidence.allSatisfy({ profile.verifiers[$0.format]?.replayProtection == .ownTokens })
        else { return }
        throw .bindingNotAllowed("\(first.format) \(why)")
    }

    /// Whether a payload is bound where the app requires one.
    func checkPayload() throws(StageError) {
        // What a certificate is issued for is bound by rules of its own.
        guard case .clientData(nil) = request.binding, profile.binding.payloadRequired, request.purpose != .provision else {
            return
        }
        throw .refused(Rejection(.payloadRequired, "the app binds a payload to every request"), check: "binding")
    }

    /// What the device had to sign, by the app's rules, of a request that binds a payload where that is required (``checkPayload()``).
    func binding() throws(StageError) -> Binding {
        switch request.binding {
        case .callerOwned(let hash): return Binding(callerOwned: hash)
        case .inEvidence: return statedBinding
        case .clientData(let payloadHash):
            guard
                let clientData = ClientData(
                    purpose: request.purpose, challenge: request.challenge, payloadHash: payloadHash)
            else {
                throw .refused(Rejection(.challengeInvalid, "challenge or payload hash has a wrong length"), check: "binding")
            }
            return Binding(clientData)
        case .embedded(let clientData):
            guard let embedded = profile.binding.embedded, !request.purpose.demandsOwnClientData else {
                throw .bindingNotAllowed("embedded client data is not allowed here")
            }
            do throws(Rejection) {
                try embedded.find(request.challenge, in: clientData)
            } catch {
                throw .refused(error, check: "binding")
            }
            return Binding(embedded: clientData, challenge: request.challenge)
        }
    }

    /// What evidence without a challenge says that it is bound to. Whether that was signed is its verifier's to check.
    private var statedBinding: Binding { statedCapture.map { Binding($0, for: request.app) } ?? .inEvidence }

    /// The capture that a piece of the evidence states, if it names a payload. Nothing of it is verified. A request has at most one piece of
    /// each format.
    private var statedCapture: OfflineCapture? {
        let piece = request.evidence.first { $0.format == .offlineSignature }
        guard let capture = piece?.parts.flatMap(OfflineCapture.Parts.init)?.capture, capture.namesPayload else { return nil }
        return capture
    }

    // MARK: Challenge

    /// The challenge that the request states; `nil` for a binding without one.
    func statedChallenge() throws(StageError) -> Challenge? {
        switch request.binding {
        case .callerOwned, .inEvidence: return nil
        case .clientData, .embedded:
            do throws(Rejection) {
                return try Challenge(parsing: request.challenge)
            } catch {
                throw .refused(error, check: "challenge")
            }
        }
    }

    /// Compares what the challenge says of itself. Refuses one that was issued while the clock ran ahead, and would be valid for longer than the
    /// limit.
    func check(_ challenge: Challenge) throws(StageError) {
        do throws(Rejection) {
            try challenge.check(purpose: request.purpose, now: now)
            guard challenge.expiry.milliseconds(since: now) <= ChallengeRule.longest + Freshness.skew else {
                throw Rejection(.challengeExpired, "issued before the clock was set back; ask for another one")
            }
        } catch {
            throw .refused(error, check: "challenge")
        }
    }

    // MARK: Evidence

    /// The refusal of a request without evidence that the app requires; `nil`: it has all.
    var lackingEvidence: StageError? {
        profile.objection(toEvidenceOf: request.evidence.lazy.map(\.format), for: request.purpose)
            .map { .refused($0, check: "evidence") }
    }

    /// A piece of evidence with its verifier and what that needs.
    func locate(_ evidence: Evidence) throws(Rejection) -> VerificationCase.Piece {
        let verifier = try profile.verifier(of: evidence.format, for: request.purpose)
        let bounded = try verifier.bounded(evidence)
        return VerificationCase.Piece(evidence: bounded, verifier: verifier, needs: try verifier.locate(bounded))
    }
}

extension AppProfile {
    /// The verifier of a format. Throws for evidence that the app does not accept for the purpose.
    func verifier(of format: EvidenceFormat, for purpose: Purpose) throws(Rejection) -> any EvidenceVerifier {
        if let verifier = verifiers[format], verifier.purposes.contains(purpose) { return verifier }
        guard format != .offlineSignature || verifiers[format] != nil else {
            throw Rejection(.offlineNotAllowed, "the app takes no captures that devices signed offline (android.offline)")
        }
        throw discontinuedFormats.contains(format)
            ? Rejection(.providerDeprecated, "the provider of \(format) was turned off")
            : Rejection(.formatNotAccepted, "the app does not accept \(format) for this purpose")
    }

    /// Why a request must not consist of evidence of these formats: a registration lacks a kind of evidence that the app requires together with
    /// the given ones.
    func objection(toEvidenceOf formats: some Sequence<EvidenceFormat>, for purpose: Purpose) -> Rejection? {
        guard purpose == .register, !requiredTogether.isEmpty else { return nil }
        let given = Set(formats)
        // An app of two platforms does not require of one what it requires of the other.
        guard !given.isDisjoint(with: requiredTogether),
            let missing = requiredTogether.subtracting(given).map(\.rawValue).min()
        else { return nil }
        return Rejection(.evidenceMissing, "the app requires \(missing) too")
    }
}

extension Purpose {
    /// Whether the purpose leads to a certificate, which requires Assay's own client data.
    fileprivate var demandsOwnClientData: Bool { self == .provision || self == .renew }
}

extension VerificationRequest {
    /// Whether a piece of the evidence is a capture that was signed offline.
    fileprivate var hasCapture: Bool { evidence.contains { $0.format == .offlineSignature } }
}

extension VerificationRequest.BindingRequest {
    /// Why Assay knows no payload of it, as a part of a sentence.
    fileprivate var whyItNamesNoPayload: String {
        switch self {
        case .clientData: "has no payload"
        case .embedded: "is by client data of the app's own, in which Assay knows of no payload"
        case .callerOwned: "is by a hash of the caller's own, in which Assay knows of no payload"
        case .inEvidence: "has neither challenge nor payload"
        }
    }
}

extension StageError {
    fileprivate static func payloadNotBound(_ why: String) -> StageError {
        .refused(Rejection(.payloadNotBound, why), check: "binding")
    }

    fileprivate static func bindingNotAllowed(_ why: String) -> StageError {
        .refused(Rejection(.bindingNotAllowed, why), check: "binding")
    }
}
