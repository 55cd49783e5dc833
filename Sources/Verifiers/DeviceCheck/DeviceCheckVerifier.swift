package import AssayCore

/// Appraises what `DCDevice.generateToken` returns (Apple, "Accessing and modifying per-device data"). Only Apple can read a
/// token: the service fetches Apple's answer, which is appraised here.
///
/// It proves only that some genuine Apple device with some app of the team requested a token recently: nothing binds the token
/// to a challenge, a payload, a key or an app. A token is therefore spent like a challenge.
package struct DeviceCheckVerifier: EvidenceVerifier {
    /// In bytes. A few kilobytes were seen; Apple documents no limit.
    package static let tokenLimit = 8192

    package let format: EvidenceFormat = .deviceCheck
    package let purposes: Set<Purpose> = [.assert]
    package let sizeLimit: Int = tokenLimit
    package let consultsRevocation = false
    package var spendsEvidenceFor: Int64? { policy.spendsTokenFor }

    private let policy: DeviceCheckPolicy

    package init(policy: DeviceCheckPolicy) { self.policy = policy }

    package func locate(_ evidence: Evidence) throws(Rejection) -> Lookup {
        guard !evidence.body.isEmpty else { throw Rejection(.malformedToken, "an empty token") }
        return .vendor
    }

    package func appraise(_ evidence: Evidence, in context: AppraisalContext) -> Appraisal {
        Appraisal.build(format) { (appraisal) throws(Rejection) in
            // Beside stronger evidence it does not lower the assurance.
            appraisal.isSupplement = true
            try appraisal.require(
                "size", (1...sizeLimit).contains(evidence.body.count), else: .evidenceTooLarge,
                "a token of \(evidence.body.count) bytes")
            guard let answer = try answer(context.vendor, &appraisal) else { return }
            appraisal.note("binding", "not_bound", "nothing ties a DeviceCheck token to the challenge or the payload")
            appraisal.claims = answer.claims
            try judge(answer, &appraisal)
            appraisal.assurance = .platform
        }
    }

    /// Apple's answer about the token; `nil` if it is not known.
    private func answer(
        _ reply: OutsideAnswer?, _ appraisal: inout Appraisal
    ) throws(Rejection) -> DeviceBitsAnswer? {
        switch reply {
        case .answered(let bytes):
            if let answer = DeviceBitsAnswer(decoding: bytes) {
                appraisal.findings.append(.pass("vendor"))
                return answer
            }
            appraisal.unavailable("vendor", "vendor_unavailable", "Apple's answer cannot be read")
        case .refused(let rejection): try appraisal.check("vendor") { () throws(Rejection) in throw rejection }
        case .unavailable(let why): appraisal.unavailable("vendor", "vendor_unavailable", why)
        case nil: appraisal.unavailable("vendor", "vendor_unavailable", "Apple was not asked")
        }
        return nil
    }

    /// Bits that were never set count as not set.
    private func judge(_ answer: DeviceBitsAnswer, _ appraisal: inout Appraisal) throws(Rejection) {
        var set: Set<DeviceCheckPolicy.Bit> = []
        if case .set(let bits) = answer {
            if bits.bit0 { set.insert(.bit0) }
            if bits.bit1 { set.insert(.bit1) }
        }
        let wrong = set.intersection(policy.refusedBits).map(\.rawValue).sorted().joined(separator: ", ")
        try appraisal.require("bits", wrong.isEmpty, else: .deviceBits, "set, and not allowed: \(wrong)")
    }
}

extension DeviceBitsAnswer {
    fileprivate var claims: Claims {
        var claims = Claims()
        switch self {
        case .neverSet: claims.add("bits_set", .boolean(false))
        case .set(let bits):
            claims.add("bits_set", .boolean(true))
            claims.add("bit0", .boolean(bits.bit0))
            claims.add("bit1", .boolean(bits.bit1))
            claims.add("bits_last_set", bits.lastSetIn.map { .text($0) })
        }
        return claims
    }
}
