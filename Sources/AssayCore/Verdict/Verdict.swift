/// The answer to a verification request: an attestation result (RFC 9334 §4.2) of this house.
public struct Verdict: Sendable {
    public enum Decision: Hashable, Sendable {
        case accepted(Assurance)
        /// The first failure in documented order, and the check that said so.
        case rejected(Rejection, check: String)
    }

    public var decision: Decision
    public var findings: [Finding]
    public var claims: Claims
    public var device: DeviceID?
    /// `nil` if the request was refused before it was settled what was bound.
    public var binding: Binding?
    /// SHA-256 over the digests of all pieces of evidence.
    public var evidenceDigest: [UInt8]
    public var policyDigest: [UInt8]
    public var simulated: Bool
    /// 16 bytes that no other verdict has.
    public var requestID: [UInt8]
    public var decidedAt: Timestamp

    public init(
        decision: Decision, findings: [Finding], claims: Claims, device: DeviceID?, binding: Binding?,
        evidenceDigest: [UInt8], policyDigest: [UInt8], simulated: Bool, requestID: [UInt8], decidedAt: Timestamp
    ) {
        self.decision = decision
        self.findings = findings
        self.claims = claims
        self.device = device
        self.binding = binding
        self.evidenceDigest = evidenceDigest
        self.policyDigest = policyDigest
        self.simulated = simulated
        self.requestID = requestID
        self.decidedAt = decidedAt
    }

    /// Turns an acceptance into a rejection by a check that came after the decision: the ledger's recheck.
    public mutating func reject(_ rejection: Rejection, check: String) {
        decision = .rejected(rejection, check: check)
        findings.append(.fail(check, rejection))
    }
}
