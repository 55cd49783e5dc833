import AssayCore
import Crypto

/// The confidence in a capture, beside the decision. Attestation comes first: signals are not even read before the evidence is accepted,
/// and count only if the device signed exactly their bytes.
extension AuthorizedRequest {
    /// The app's rule. Requests for certificates are about no capture.
    var confidenceRule: ConfidenceRule? { step == nil ? profile.confidence : nil }

    /// Whether there is something to say of confidence or signals. False for all requests of most apps.
    var assessesConfidence: Bool { confidenceRule != nil || !request.signals.isEmpty }

    /// The rejection of a capture that the app's rule does not take. A registration without signals is no capture.
    func refusal(of confidence: Confidence) -> Rejection? {
        guard request.purpose == .assert || !request.signals.isEmpty else { return nil }
        return confidenceRule?.refusal(of: confidence)
    }
}

extension VerificationCase {
    /// The confidence under the decision, with notes on signals that do not count; `nil` for an app without a rule.
    func assessConfidence(
        under decision: Verdict.Decision, _ appraisals: [Appraisal], _ findings: inout [Finding]
    ) -> Confidence? {
        guard let rule = admitted.confidenceRule else {
            findings.append(.note("signals_not_used", "the app has no section confidence"))
            return nil
        }
        guard case .accepted(let assurance) = decision else { return .rejected(rule.profile) }
        let scene = scene(appraisals, &findings).with(measured: rule.measured(by: appraisals))
        let platform = platform(appraisals)
        let confidence = rule.assess(
            scene, platform: platform,
            HardwareAttestation(assurance, platform: platform, simulated: appraisals.contains(where: \.simulated)),
            receivedAt: admitted.now)
        findings += confidence.notes.map { .note($0.code.rawValue, $0.detail) }
        return confidence
    }

    /// What the pieces that support the assurance agree on. A supplement can come from another device than they do: it counts only where
    /// there is nothing else.
    func platform(_ appraisals: [Appraisal]) -> DevicePlatform? {
        let onlySupplements = appraisals.allSatisfy { $0.isSupplement || $0.isPart }
        let platforms = Set(appraisals.filter { onlySupplements || !$0.isSupplement }.compactMap(\.platform))
        return platforms.count == 1 ? platforms.first : nil
    }

    /// The signals, if the attested signature covers them.
    private func scene(
        _ appraisals: [Appraisal], _ findings: inout [Finding]
    ) -> SceneAnalysis {
        let signals = admitted.request.signals
        guard !signals.isEmpty else { return SceneAnalysis(.notSubmitted) }
        let digest = Array(SHA256.hash(data: signals))
        guard binding.payloadHash == digest, isBound(appraisals) else {
            findings.append(
                .note("signals_not_bound", "the device did not sign these signals: the bound payload is not their SHA-256"))
            return SceneAnalysis(.notBound)
        }
        do throws(Rejection) {
            let document = try SignalDocument(parsing: signals)
            try document.checkSize(ofUpload: admitted.request.evidence.reduce(signals.count) { $0 + $1.size })
            return SceneAnalysis(counted: document, digest: digest)
        } catch {
            findings.append(.note("signals_malformed", error.detail))
            return SceneAnalysis(.malformed)
        }
    }

    /// Whether a piece that supports the assurance is bound to the request's client data. Tokens that are remembered instead are bound to
    /// nothing, and supplements support none.
    func isBound(_ appraisals: [Appraisal]) -> Bool {
        zip(pieces, appraisals).contains { piece, appraisal in
            guard !appraisal.isSupplement else { return false }
            return switch piece.verifier.replayProtection {
            // A statement that names no payload has come to its end before.
            case .challenge, .counter, .statement: true
            case .rememberedUse, .ownTokens, .payload: false
            }
        }
    }
}

extension VerificationRequest {
    /// The document of the signals, if it is the payload with this SHA-256; otherwise empty.
    func signals(thatAre payloadHash: [UInt8]?) -> [UInt8] {
        guard !signals.isEmpty, let payloadHash, SHA256.bytes(of: signals) == payloadHash else { return [] }
        return signals
    }
}

extension Finding {
    fileprivate static func note(_ code: String, _ detail: String) -> Finding { .note(confidenceCheck, code, detail) }
}

extension Verdict {
    /// The claims that are kept beside the audit record: the record itself has no place for the level.
    var claimsWithConfidence: Claims {
        guard let confidence else { return claims }
        var claims = claims
        claims.add("confidence_level", .text(confidence.level.name))
        claims.add("confidence_score", confidence.score.map { .text($0.description) })
        return claims
    }
}
