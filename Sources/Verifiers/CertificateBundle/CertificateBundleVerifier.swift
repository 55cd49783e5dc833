import AssayCertificates
package import AssayCore

/// Appraises bundles that cameras sign with the keys of their device certificates. `docs/verifiers/certificate-bundle.md` lists the checks in
/// their order.
///
/// A bundle has no challenge: the same statement again is accepted again. What a device may do is limited by its registration, its
/// certificate, the age of the statement, and the number of its submissions.
package struct CertificateBundleVerifier: EvidenceVerifier {
    package let format: EvidenceFormat = .certificateBundle
    package let purposes: Set<Purpose> = [.assert]
    /// The longest JSON, behind the number of its form and two lengths.
    package let sizeLimit: Int = CertificateBundle.jsonLimit + 9
    package let replayProtection: ReplayProtection = .statement

    let policy: CertificateBundlePolicy
    let authorities: DeviceAuthorities
    let validator: ChainValidator
    let lists: [IssuerRevocationList]
    /// `nil` for tools.
    let app: AppID?
    let fleet: FleetSecrets?
    let judges: [EvidenceFormat: any RegisteredDeviceAppraiser]

    /// How far clocks may differ, in milliseconds.
    static let skew: Int64 = 300_000

    /// - Parameters:
    ///   - lists: revocation lists of CAs that are not Assay's own.
    ///   - judges: the appraisers of the app's registered devices.
    init(
        policy: CertificateBundlePolicy, authorities: DeviceAuthorities, lists: [IssuerRevocationList] = [],
        app: AppID?, fleet: FleetSecrets?, judges: [any RegisteredDeviceAppraiser], links: LinkCache = Self.ownLinks()
    ) {
        (self.policy, self.authorities, self.lists) = (policy, authorities, lists)
        (self.app, self.fleet) = (app, fleet)
        self.judges = Dictionary(judges.map { ($0.format, $0) }, uniquingKeysWith: { _, last in last })
        validator = ChainValidator(anchors: authorities.all, profile: Self.chainProfile, links: links)
    }

    /// A cache of its own: the certificates of a fleet would displace the few links of other platforms.
    static func ownLinks() -> LinkCache { LinkCache(capacity: 16_384) }

    /// A device certificate below an anchor, or below CAs that were sent with it.
    static let chainProfile = ChainProfile(
        lengths: 1...PresentedCertificates.limit,
        signatureAlgorithms: [
            .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .rsaWithSHA256, .rsaWithSHA384, .rsaWithSHA512,
        ], leafKeys: nil, authorityKeys: [.p256, .p384, .p521, .rsa], leafUsage: .digitalSignature,
        authorityAsLeaf: .caAsLeaf, criticalExtensions: [.subjectAlternativeName], leafRecurs: true, skewMilliseconds: skew)

    /// The record of the certificate, the device of the secret in it, and what the statement is. Nothing is verified yet: what is fetched
    /// is used only after verification.
    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
        let content = try BundleContent(evidence)
        _ = try BundleSignature(parsing: content.signature)
        let certificates = try PresentedCertificates(parsing: content.certificate)
        let secret = try? FleetExtensions(certificates.leaf, arc: policy.arc).secret(fleet)
        return Needs(
            deviceKeyID: secret.flatMap(keyID(of:)), revocation: true,
            certificate: certificates.name(below: authorities.all).map { .name($0) }, submissions: true,
            statement: statement(content, certificates.leaf))
    }

    /// The same whatever form and encoding the bundle has. Anyone can derive a second signature from an ECDSA signature, so the signature is
    /// no part of it.
    private func statement(_ content: BundleContent, _ leaf: Certificate) -> Needs.Statement {
        var digest = FieldDigest("assay.certificate-bundle.v1")
        digest.append(leaf.digest)
        digest.append(content.signedSHA256)
        let period = policy.maxAge + Self.skew
        return Needs.Statement(
            digest: digest.finalize(),
            lifetime: content.time.map { .until($0.timestamp.adding(milliseconds: period)) }
                ?? .afterAcceptance(milliseconds: period))
    }

    /// The key id of the device with a secret.
    func keyID(of secret: [UInt8]) -> [UInt8]? {
        guard let app, let fleet else { return nil }
        return fleet.keyID(ofSecret: secret, app: app)
    }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        appraisal.findings.reserveCapacity(32)
        let (content, signature, certificates) = try read(evidence, &appraisal)
        let chain = try validate(certificates, at: context.now, &appraisal)
        let record = context.facts.certificate.flatMap { $0.name == chain.name ? $0 : nil }
        try checkRevocation(chain, record, at: context.now, &appraisal)
        try checkSignature(signature, content, chain, &appraisal)
        try appraisal.requireAllPassed()
        // From here on the statement is authenticated by the certificate's key.
        claim(content, signature, certificates, &appraisal)
        appraisal.imageDigest = content.imageHash
        try checkTime(content, chain.leaf.validity, at: context.now, &appraisal)
        // The registry is not known to those who look at a file.
        guard context.examination == nil else { return }
        try checkRecord(record, chain, &appraisal)
        try appraisal.requirePassed("certificate_record")
        let device = try checkDevice(context.facts.device, record, chain, &appraisal)
        try judge(device, record, in: context, &appraisal)
        countSubmission(context.facts.submissions, of: device, &appraisal)
        appraisal.restsOn = record?.name
    }
}
