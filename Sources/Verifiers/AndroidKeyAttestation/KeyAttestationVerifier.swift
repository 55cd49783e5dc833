package import AssayCertificates
package import AssayCore
import Crypto

/// Appraises a chain from `KeyStore.getCertificateChain`: a key that Android Keystore attests (source.android.com, "Key and ID
/// attestation"). `docs/reference/verifiers/key-attestation.md` lists the checks in their order.
package struct KeyAttestationVerifier: EvidenceVerifier {
    package static let format = EvidenceFormat.keyAttestation

    package let format: EvidenceFormat = Self.format
    package let purposes: Set<Purpose> = [.register, .provision]
    /// In bytes. Chains of 3 to 6 KiB were seen.
    package let sizeLimit: Int = 64 * 1024
    package let usualFindings: Int = 48
    package let bindingCheck: String? = "challenge"
    package var replayProtection: ReplayProtection { .challenge(acceptableFor: policy.acceptableFor) }

    let policy: AndroidPolicy
    let validator: ChainValidator

    /// - Parameter anchors: the trusted roots; in production the roots of software attestation are not among them.
    package init(anchors: [TrustAnchor], policy: AndroidPolicy, links: LinkCache) {
        self.policy = policy
        validator = ChainValidator(
            anchors: anchors, profile: Self.chainProfile, links: links, recognised: TrustAnchor.googleSoftware)
    }

    /// Leaf first; the root may be left out. Factory chains have 4 certificates, remotely provisioned chains 5, software chains
    /// 3. Known errors of genuine devices are accepted by name (decision 0022).
    static let chainProfile = ChainProfile(
        lengths: 2...8,
        signatureAlgorithms: [
            .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .rsaWithSHA256, .rsaWithSHA384, .rsaWithSHA512,
        ], leafKeys: nil, authorityKeys: [.p256, .p384, .p521, .rsa], leafUsage: [],
        leniencies: [.generalizedTimeBefore2050, .ecdsaWithNull, .criticalNotDER, .oddSerial],
        leafLeniencies: .unreadableDates, checksConstraints: false, checksValidity: false,
        shortestRemembered: shortestRemembered)

    /// 45 days. Remotely provisioned attestation certificates, one per device, are valid for 9 to 36 days; their current
    /// issuers for 69.
    private static let shortestRemembered: Int64 = 45 * 86_400_000

    /// The revocation list, and the number of devices of the attestation key. The certificate that names the key is not verified
    /// yet: the number is used only after verification.
    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
        guard let parts = evidence.parts else { return .revocation }
        let reading = ChainReading(parts, links: validator.links)
        return Needs(attestationKey: Self.attestationKey(parts, reading), revocation: true, reading: reading)
    }

    /// `nil` if the second certificate cannot be read; another one that cannot be does not matter.
    private static func attestationKey(_ parts: [ArraySlice<UInt8>], _ reading: ChainReading) -> [UInt8]? {
        switch reading.chain {
        case .success(let chain): chain.authorities.first?.publicKeySHA256
        case .failure:
            parts.dropFirst().first.flatMap { try? Certificate(der: $0, leniencies: chainProfile.leniencies) }?.publicKeySHA256
        }
    }

    /// One attestation of a key over what the caller guarantees is one use, whatever certificates of the chain are sent: the
    /// root may be left out. An unreadable first certificate attests nothing.
    package func use(of evidence: Evidence, for app: AppID, vouched: [UInt8]) -> [UInt8] {
        guard let first = evidence.parts?.first,
            let leaf = try? UnverifiedChain(parsing: [first, first], profile: Self.chainProfile).leaf
        else { return evidence.digest }
        var hash = FieldDigest("assay.key-attestation.use.v1")
        hash.append(app.text)
        hash.append(leaf.publicKey.sha256)
        hash.append(vouched)
        return hash.finalize()
    }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let unverified = try readChain(evidence, context.reading as? ChainReading, &appraisal)
        let chain = try validate(unverified, &appraisal)
        let chainClass = try judgeChain(chain, in: context, &appraisal)
        let description = try readDescription(chain, &appraisal)
        try appraisal.requireAllPassed()
        // From here on every byte of the description is authenticated by the attestation key.
        let facts = claimFacts(chain, chainClass, description, &appraisal)
        try checkChallenge(description, context.binding, &appraisal)
        try appraisal.check("key_id") { () throws(Rejection) in
            let digest = chain.leaf.publicKeySHA256
            guard !evidence.keyID.isEmpty, evidence.keyID != digest else { return }
            if let fault = KeyIDForm.fault(of: evidence.keyID) { throw Rejection(.keyIDMismatch, fault) }
            let ids = ComparedBytes(evidence.keyID, expected: digest)
            throw Rejection(.keyIDMismatch, "the key id is \(ids.found), the digest of the attested key \(ids.expected)")
        }
        try judgeKey(facts, description, chain, chainClass, at: context.now, &appraisal)
        try policy.provisioning.judge(context.facts.attestationKeyUse, of: chainClass, in: &appraisal)

        appraisal.assurance = facts.assurance
        appraisal.platform = .android
        appraisal.attestedKey = AttestedKey(
            publicKeySHA256: chain.leaf.publicKeySHA256, packages: facts.application?.packages.map(\.name) ?? [],
            signers: facts.application?.signers ?? [])
        if facts.trusted.numbers(.purpose)?.contains(KeyPurpose.sign.rawValue) == true {
            appraisal.certifiableKey = chain.leaf.publicKeySHA256
        }
        appraisal.effect = .register(
            Registration(
                format: format, keyID: chain.leaf.publicKeySHA256, publicKey: Array(chain.leaf.publicKey.der),
                environment: facts.environment, anchor: chain.anchor.publicKeySHA256, claims: appraisal.claims,
                chainSerials: chain.serials, attestationKey: chain.authorities.first?.publicKeySHA256 ?? [], receipt: [],
                simulated: appraisal.simulated))
    }
}

extension KeyFacts {
    /// On an unlocked device, or without a root of trust, only software states which app made the key.
    var assurance: Assurance { trusted.rootOfTrust?.isLocked == true ? level.assurance : .software }

    /// Android has no environments like App Attest's: a registration records the kind of storage of the key.
    var environment: String { level > .software ? "hardware" : "software" }
}
