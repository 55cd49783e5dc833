/// The answer to a verification request: an attestation result (RFC 9334 §4.2).
///
/// A class, because it is passed through many functions on its way to the caller: a reference costs one count, not one for each
/// part.
public final class Verdict: Sendable {
    public enum Decision: Hashable, Sendable {
        case accepted(Assurance)
        /// The first failure in documented order, and its check.
        case rejected(Rejection, check: String)
    }

    public let decision: Decision
    public let findings: [Finding]
    public let claims: Claims
    public let device: DeviceID?
    /// `nil` if the request was refused before the binding was known.
    public let binding: Binding?
    /// SHA-256 over the digests of all pieces of evidence.
    public let evidenceDigest: [UInt8]
    public let policyDigest: [UInt8]
    /// Versions of the feeds that were used.
    public let feeds: [FeedVersion]
    public let simulated: Bool
    /// 16 bytes, unique to this verdict.
    public let requestID: [UInt8]
    public let decidedAt: Timestamp
    /// `nil` for an app without a rule of confidence. Of a rejected verdict it is `Confidence.rejected`, with any signals, unless the
    /// level itself is the reason.
    public let confidence: Confidence?
    /// The formats of the evidence, in order; empty where they are not known.
    public let formats: [EvidenceFormat]
    /// What an accepted verdict does not say, in the order of the list; empty without formats.
    public let limits: [VerdictLimit]
    /// The registered key of the device, of an accepted verdict that names one: for what is made of the verdict where it is given. It is in no
    /// message of the API.
    package let registration: Registration?

    public init(
        decision: Decision, findings: [Finding], claims: Claims, device: DeviceID?, binding: Binding?,
        evidenceDigest: [UInt8], policyDigest: [UInt8], feeds: [FeedVersion] = [], simulated: Bool, requestID: [UInt8],
        decidedAt: Timestamp, confidence: Confidence? = nil, formats: [EvidenceFormat] = [], registration: Registration? = nil
    ) {
        (self.formats, self.registration) = (formats, registration)
        self.decision = decision
        self.findings = findings
        self.claims = claims
        self.device = device
        self.binding = binding
        self.evidenceDigest = evidenceDigest
        self.policyDigest = policyDigest
        self.feeds = feeds
        self.simulated = simulated
        self.requestID = requestID
        self.decidedAt = decidedAt
        let confidence = confidence?.limited(by: decision)
        self.confidence = confidence
        limits = VerdictLimit.limits(of: decision, binding, confidence, formats: formats)
    }

    /// The same verdict as the answer to an equal request, which has its own id.
    public func answering(_ requestID: [UInt8]) -> Verdict {
        Verdict(
            decision: decision, findings: findings, claims: claims, device: device, binding: binding,
            evidenceDigest: evidenceDigest, policyDigest: policyDigest, feeds: feeds, simulated: simulated,
            requestID: requestID, decidedAt: decidedAt, confidence: confidence, formats: formats,
            registration: registration)
    }

    /// The same verdict as the answer at another time to a request that is equal but for what it bound, which nothing in the verdict
    /// depends on.
    package func answering(_ requestID: [UInt8], at time: Timestamp, bound binding: Binding?) -> Verdict {
        Verdict(
            decision: decision, findings: findings, claims: claims, device: device, binding: binding,
            evidenceDigest: evidenceDigest, policyDigest: policyDigest, feeds: feeds, simulated: simulated,
            requestID: requestID, decidedAt: time, confidence: confidence, formats: formats,
            registration: registration)
    }

    /// The same verdict with further findings.
    public func adding(_ more: [Finding]) -> Verdict {
        Verdict(
            decision: decision, findings: findings + more, claims: claims, device: device, binding: binding,
            evidenceDigest: evidenceDigest, policyDigest: policyDigest, feeds: feeds, simulated: simulated,
            requestID: requestID, decidedAt: decidedAt, confidence: confidence, formats: formats,
            registration: registration)
    }

    /// An acceptance turned into a rejection by a check after the decision: the ledger's recheck.
    ///
    /// - Parameter device: the registry's current record, since nothing was accepted.
    public func rejected(_ rejection: Rejection, check: String, device: DeviceID?) -> Verdict {
        Verdict(
            decision: .rejected(rejection, check: check), findings: findings + [.fail(check, rejection)], claims: claims,
            device: device, binding: binding, evidenceDigest: evidenceDigest, policyDigest: policyDigest,
            feeds: feeds, simulated: simulated, requestID: requestID, decidedAt: decidedAt, confidence: confidence,
            formats: formats)
    }
}
