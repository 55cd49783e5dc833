import AssayCore

/// Why a request is refused before its evidence is appraised. Under a report of every failure the judgement goes on after the first.
struct EarlyRefusals: Sendable {
    struct Refusal: Sendable {
        let rejection: Rejection
        let check: String
        /// The registry's record of the device, if it has one.
        let device: Device?
        /// The format of the piece of evidence; `nil`: the failure is one of the whole request.
        let format: EvidenceFormat?
    }

    /// In documented order.
    private(set) var all: [Refusal] = []
    /// What could not be checked because of them.
    private(set) var unchecked: [Finding] = []

    var isEmpty: Bool { all.isEmpty }
    /// The one that gives the verdict its reason.
    var first: Refusal? { all.first }

    /// Whether a check of that name failed.
    func contains(_ check: String) -> Bool { all.contains { $0.check.utf8.elementsEqual(check.utf8) } }

    mutating func add(_ refusal: Refusal) { all.append(refusal) }

    mutating func leaveOut(_ check: String, because why: String) { unchecked.append(.unchecked(check, why)) }

    /// The failures, then what could not be checked.
    ///
    /// - Parameter prefixed: whether the request has several pieces: failures of one are named by its format.
    func findings(prefixed: Bool) -> [Finding] {
        all.map { refusal in
            let finding = Finding.fail(refusal.check, refusal.rejection)
            guard prefixed, let format = refusal.format else { return finding }
            return finding.prefixed(format)
        } + unchecked
    }
}

extension Verdict {
    /// A request that was refused before its evidence was appraised, and judged on for what else is wrong.
    ///
    /// - Parameter further: what the evidence came to all the same.
    convenience init(
        refusing admitted: AuthorizedRequest, _ first: EarlyRefusals.Refusal, _ refusals: EarlyRefusals, further: [Finding] = []
    ) {
        let verdict = Verdict(refusing: admitted, first.rejection, check: first.check, device: first.device)
        self.init(
            decision: verdict.decision,
            findings: refusals.findings(prefixed: admitted.request.evidence.count > 1) + further, claims: verdict.claims,
            device: verdict.device, binding: nil, evidenceDigest: verdict.evidenceDigest, policyDigest: verdict.policyDigest,
            simulated: verdict.simulated, requestID: verdict.requestID, decidedAt: verdict.decidedAt,
            confidence: verdict.confidence)
    }
}
