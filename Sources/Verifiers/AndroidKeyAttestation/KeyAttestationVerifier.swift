package import AssayCertificates
package import AssayCore
import Crypto

/// Judges a chain of `KeyStore.getCertificateChain`: a key that Android Keystore attests (source.android.com, "Key and ID
/// attestation"). The checks are those of `docs/verifiers/key-attestation.md`, in its order.
package struct KeyAttestationVerifier: EvidenceVerifier {
    package static let format = EvidenceFormat.keyAttestation

    package let format: EvidenceFormat = Self.format
    package let purposes: Set<Purpose> = [.register, .provision]
    /// Chains of 3 to 6 KiB were seen.
    package let sizeLimit: Int = 64 * 1024
    package var acceptableFor: Int64? { policy.acceptableFor }

    let policy: AndroidPolicy
    let validator: ChainValidator

    /// - Parameter anchors: roots that count; the roots of software attestation are among them only for tests.
    package init(anchors: [TrustAnchor], policy: AndroidPolicy, links: LinkCache) {
        self.policy = policy
        validator = ChainValidator(
            anchors: anchors, profile: Self.chainProfile, links: links, recognised: TrustAnchor.googleSoftware)
    }

    /// Leaf first; the root may be left out. Factory chains have 4 certificates, remotely provisioned ones 5, those of
    /// software 3. What genuine devices get wrong is let pass by name (decision 0022).
    static let chainProfile = ChainProfile(
        lengths: 2...8,
        signatureAlgorithms: [
            .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .rsaWithSHA256, .rsaWithSHA384, .rsaWithSHA512,
        ], leafKeys: nil, authorityKeys: [.p256, .p384, .p521, .rsa], leafUsage: [],
        leniencies: [.generalizedTimeBefore2050, .ecdsaWithNull, .criticalNotDER, .oddSerial],
        leafLeniencies: .unreadableDates, checksConstraints: false, checksValidity: false,
        shortestRemembered: shortestRemembered)

    /// 45 days: attestation certificates of remote provisioning, each one device's, live for 9 to 36; the issuers of today's for
    /// 69.
    private static let shortestRemembered: Int64 = 45 * 86_400_000

    /// The attestation key, to have its devices counted. It is named by a certificate that nobody has verified yet: the
    /// answer is looked at only once it has been.
    package func locate(_ evidence: Evidence) throws(Rejection) -> Lookup {
        guard evidence.body.count <= sizeLimit, let issuer = evidence.parts?.dropFirst().first,
            let certificate = try? Certificate(der: issuer, leniencies: Self.chainProfile.leniencies)
        else { return .nothing }
        return .attestationKey(certificate.publicKey.sha256)
    }

    /// One attestation of a key over what the caller vouches for is one use, however many certificates of the chain are sent: the
    /// root may be left out. A first certificate that cannot be read attests nothing.
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

    package func appraise(_ evidence: Evidence, in context: AppraisalContext) -> Appraisal {
        Appraisal.build(format, under: context.examination) { (appraisal) throws(Rejection) in
            appraisal.findings.reserveCapacity(48)
            let unverified = try readChain(evidence, &appraisal)
            let chain = try validate(unverified, &appraisal)
            let chainClass = try judgeChain(chain, in: context, &appraisal)
            let description = try readDescription(chain, &appraisal)
            // From here on the attestation key vouches for every byte of the description.
            let facts = claimFacts(chain, chainClass, description, &appraisal)
            try checkChallenge(description, context.binding, &appraisal)
            try appraisal.require(
                "key_id", evidence.keyID.isEmpty || evidence.keyID == chain.leaf.publicKey.sha256, else: .keyIDMismatch,
                "the key id is not the digest of the attested key")
            try judgeKey(facts, description, chain, chainClass, at: context.now, &appraisal)
            try policy.provisioning.judge(context.devicesOfAttestationKey, of: chainClass, in: &appraisal)

            appraisal.assurance = facts.assurance
            appraisal.attestedKey = AttestedKey(
                publicKeySHA256: chain.leaf.publicKey.sha256, packages: facts.application?.packages.map(\.name) ?? [],
                signers: facts.application?.signers ?? [])
            appraisal.effect = .register(
                Registration(
                    format: format, keyID: chain.leaf.publicKey.sha256, publicKey: Array(chain.leaf.publicKey.der),
                    environment: facts.environment, anchor: chain.anchor.publicKeySHA256, claims: appraisal.claims,
                    chainSerials: chain.serials, attestationKey: chain.authorities.first?.publicKey.sha256 ?? [], receipt: [],
                    simulated: appraisal.simulated))
        }
    }
}

extension KeyFacts {
    /// On an unlocked device, or one whose boot nobody tells, only software says which app made the key.
    var assurance: Assurance { trusted.rootOfTrust?.isLocked == true ? level.assurance : .software }

    /// Android has no environments as App Attest has: what a registration names is what holds the key.
    var environment: String { level > .software ? "hardware" : "software" }
}
