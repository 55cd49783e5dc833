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
    package var replayProtection: ReplayProtection { .rememberedUse(milliseconds: policy.spendsTokenFor) }

    private let policy: DeviceCheckPolicy

    package init(policy: DeviceCheckPolicy) { self.policy = policy }

    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
        guard !evidence.body.isEmpty else { throw Rejection(.malformedToken, "an empty token") }
        return .outsideAnswer
    }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        // Beside stronger evidence it does not lower the assurance.
        appraisal.isSupplement = true
        guard let bits = try bits(context.facts.outsideAnswer, &appraisal) else { return }
        appraisal.note("binding", "not_bound", "nothing ties a DeviceCheck token to the challenge or the payload")
        appraisal.claims = bits.claims
        try judge(bits, &appraisal)
        appraisal.assurance = .platform
        appraisal.platform = .iOS
    }

    /// Apple's answer about the token; `nil` if it is not known.
    private func bits(
        _ answer: OutsideAnswer?, _ appraisal: inout Appraisal
    ) throws(Rejection) -> StatedBits? {
        switch answer {
        case .stated(let claims):
            if let bits = StatedBits(claims) {
                appraisal.findings.append(.pass("vendor"))
                return bits
            }
            appraisal.unavailable("vendor", "vendor_unavailable", "Apple's answer cannot be read")
        case .answered: appraisal.unavailable("vendor", "vendor_unavailable", "Apple's answer cannot be read")
        case .refused(let rejection): try appraisal.check("vendor") { () throws(Rejection) in throw rejection }
        case .unavailable(let why): appraisal.unavailable("vendor", "vendor_unavailable", why)
        case nil: appraisal.unavailable("vendor", "vendor_unavailable", "Apple was not asked")
        }
        return nil
    }

    /// Bits that were never set count as not set.
    private func judge(_ bits: StatedBits, _ appraisal: inout Appraisal) throws(Rejection) {
        let wrong = bits.set.intersection(policy.refusedBits).map(\.rawValue).sorted().joined(separator: ", ")
        try appraisal.require("bits", wrong.isEmpty, else: .deviceBits, "set, and not allowed: \(wrong)")
    }
}

/// The bits as the answer source states them.
private struct StatedBits {
    /// `bits_set`; and, if the bits were ever set, `bit0`, `bit1`, and `bits_last_set` if Apple states the month.
    let claims: Claims
    /// The bits that are set now.
    let set: Set<DeviceCheckPolicy.Bit>

    /// Takes the statements that it knows. `nil` if one is missing or of another type.
    init?(_ stated: Claims) {
        guard case .boolean(let wereSet)? = stated["bits_set"] else { return nil }
        var claims = Claims()
        claims.add("bits_set", .boolean(wereSet))
        guard wereSet else {
            (self.claims, set) = (claims, [])
            return
        }
        guard case .boolean(let bit0)? = stated["bit0"], case .boolean(let bit1)? = stated["bit1"] else { return nil }
        let month = stated.text("bits_last_set")
        guard (month == nil) == (stated["bits_last_set"] == nil) else { return nil }
        claims.add("bit0", .boolean(bit0))
        claims.add("bit1", .boolean(bit1))
        claims.add("bits_last_set", month.map { .text($0) })
        self.claims = claims
        set = Set((bit0 ? [.bit0] : []) + (bit1 ? [.bit1] : []))
    }
}

/// An app's requirements on the bits that Apple keeps for a device. The developer defines their meaning; all apps of a team
/// share them.
package struct DeviceCheckPolicy: Hashable, Sendable {
    package enum Bit: String, CaseIterable, Hashable, Sendable { case bit0, bit1 }

    /// A device is refused if one of these is set.
    package var refusedBits: Set<Bit>
    /// How long an accepted token is kept, in milliseconds. Apple does not document how long a token is valid: a device can
    /// make a new one at any time, and has no reason to send one twice.
    package var spendsTokenFor: Int64

    /// A day. Tokens are reported to be valid for less than a minute.
    package static let usualMemory: Int64 = 86_400_000

    package init(refusedBits: Set<Bit> = [], spendsTokenFor: Int64 = usualMemory) {
        (self.refusedBits, self.spendsTokenFor) = (refusedBits, spendsTokenFor)
    }

    package func digest(into hash: inout FieldDigest) {
        hash.append(refusedBits.map(\.rawValue).sorted().joined(separator: ","))
        hash.append(UInt64(bitPattern: spendsTokenFor))
    }
}
