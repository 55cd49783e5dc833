package import AssayCore
import AssayEncoding

/// Appraises a token of Google's Play Integrity API: Google's statement about the app and the device that requested it (Play
/// Integrity, "Integrity verdicts").
///
/// A token proves no key. By itself it supports an assertion; beside a key attestation it is bound to the attested key and adds
/// to its appraisal.
package struct PlayIntegrityVerifier: EvidenceVerifier {
    package static let format = EvidenceFormat.playIntegrity
    /// In bytes. Google documents no limit; tokens have a few kilobytes.
    package static let tokenLimit = 65_536
    /// The longest answer of Google's service, in bytes.
    static let answerLimit = 262_144

    package let format: EvidenceFormat = Self.format
    package let purposes: Set<Purpose> = [.register, .assert]
    package let sizeLimit: Int = Self.tokenLimit
    package let usualFindings: Int = 32
    package let relation: EvidenceRelation = .boundToAttestedKey
    package var replayProtection: ReplayProtection { .challenge(acceptableFor: policy.acceptableFor) }

    let identity: PlayIntegrityIdentity
    /// Newest first.
    let keys: [PlayKeySet]
    let decoding: PlayDecoding
    let policy: PlayIntegrityPolicy
    private let signals: [PlaySignalRule]

    package init(
        identity: PlayIntegrityIdentity, keys: [PlayKeySet], decoding: PlayDecoding, policy: PlayIntegrityPolicy
    ) {
        (self.identity, self.keys, self.decoding, self.policy) = (identity, keys, decoding, policy)
        signals = PlaySignal.allCases.map { PlaySignalRule($0, of: policy) }
    }

    /// Google's service is called only for bytes in the form of a token: it has a quota of decodes.
    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
        try requireText(evidence.body)
        switch decoding {
        case .local: return .nothing
        case .google:
            _ = try CompactToken(parsing: evidence.body[...])
            return .outsideAnswer
        case .localThenGoogle: return opensLocally(try CompactToken(parsing: evidence.body[...])) ? .nothing : .outsideAnswer
        }
    }

    /// A request for tokens with one nonce or request hash is one use, however many tokens were fetched for it and whatever
    /// encoding they have.
    package func use(of evidence: Evidence, for app: AppID, vouched: [UInt8]) -> [UInt8] {
        var hash = FieldDigest("assay.play-integrity.use.v1")
        hash.append(app.text)
        hash.append(vouched)
        return hash.finalize()
    }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        appraisal.isSupplement = context.attestedKey != nil
        guard let payload = try open(evidence, context.facts.outsideAnswer, &appraisal) else { return }
        // From here on every byte of the payload is authenticated by Google.
        appraisal.claims.add(contentsOf: payload.claims)
        try checkRequest(payload, context, &appraisal)
        try checkApp(payload, &appraisal)
        try checkDevice(payload, &appraisal)
        for rule in signals { try rule.judge(payload, &appraisal) }
        try checkAttestedApp(payload.app, context.attestedKey, &appraisal)

        appraisal.assurance = Self.assurance(of: payload.device)
        appraisal.platform = .android
    }

    /// The assurance of a device that Google certifies; lower if Google only answered.
    private static func assurance(of device: PlayPayload.Device) -> Assurance {
        let certified: [PlayVerdict.Device] = [.device, .strong]
        return certified.contains(where: device.has) ? .platform : .software
    }
}
