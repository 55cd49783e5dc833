import AssayCertificates
package import AssayCore

/// Appraises bundles that cameras sign with the keys of their device certificates. `docs/reference/verifiers/certificate-bundle.md` lists the checks in
/// their order.
///
/// A bundle has no challenge: the same statement again is accepted again. What a device may do is limited by its registration, its
/// certificate, the age of the statement, and the number of its submissions.
package struct CertificateBundleVerifier: EvidenceVerifier {
    package let format: EvidenceFormat = .certificateBundle
    package let purposes: Set<Purpose> = [.assert]
    /// The longest JSON, behind the number of its form and two lengths.
    package let sizeLimit: Int = CertificateBundle.jsonLimit + 9
    package let usualFindings: Int = 32
    package let replayProtection: ReplayProtection = .statement

    let policy: CertificateBundlePolicy
    let authorities: DeviceAuthorities
    let validator: ChainValidator
    let lists: [IssuerRevocationList]
    /// `nil` for tools.
    let app: AppID?
    let fleet: FleetSecrets?
    let judges: [EvidenceFormat: any RegisteredDeviceAppraiser]
    /// What was trusted under the anchors, the arc and the fleet of this verifier, which no other may have.
    let known: CertificateCache

    /// How far clocks may differ, in milliseconds.
    static let skew: Int64 = 300_000

    /// - Parameters:
    ///   - lists: revocation lists of CAs that are not Assay's own.
    ///   - judges: the appraisers of the app's registered devices.
    init(
        policy: CertificateBundlePolicy, authorities: DeviceAuthorities, lists: [IssuerRevocationList] = [],
        app: AppID?, fleet: FleetSecrets?, judges: [any RegisteredDeviceAppraiser], links: LinkCache = Self.ownLinks(),
        known: CertificateCache = CertificateCache()
    ) {
        (self.policy, self.authorities, self.lists) = (policy, authorities, lists)
        (self.app, self.fleet, self.known) = (app, fleet, known)
        self.judges = Dictionary(judges.map { ($0.format, $0) }, uniquingKeysWith: { _, last in last })
        validator = ChainValidator(anchors: authorities.all, profile: Self.chainProfile, links: links)
    }

    /// A cache of its own: the certificates of a fleet would displace the few links of other platforms.
    static func ownLinks() -> LinkCache { LinkCache(capacity: 16_384, keepsCertificates: false) }

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
        let reading = BundleReading(content, try BundleSignature(parsing: content.signature), known)
        switch reading.certificates {
        case .known(let certificates):
            return needs(
                device: try? certificates.deviceKeyID.get(), certificate: certificates.name, digest: certificates.digest,
                reading)
        case .presented(let presented):
            let certificates = try presented.get()
            return needs(
                device: try? deviceKeyID(FleetExtensions(certificates.leaf, arc: policy.arc)),
                certificate: certificates.name(below: authorities.all), digest: certificates.leaf.digest, reading)
        }
    }

    /// - Parameter digest: SHA-256 of the leaf.
    private func needs(
        device: [UInt8]?, certificate: CertificateName?, digest: [UInt8], _ reading: BundleReading
    ) -> Needs {
        Needs(
            deviceKeyID: device, revocation: true, certificate: certificate.map { .name($0) }, submissions: true,
            statement: statement(reading.content, certificate: digest), reading: reading)
    }

    /// The same whatever form and encoding the bundle has. Anyone can derive a second signature from an ECDSA signature, so the signature is
    /// no part of it.
    ///
    /// - Parameter certificate: SHA-256 of the leaf.
    private func statement(_ content: BundleContent, certificate: [UInt8]) -> Needs.Statement {
        var digest = FieldDigest("assay.certificate-bundle.v1")
        digest.append(certificate)
        digest.append(content.signedSHA256)
        let period = policy.maxAge + Self.skew
        return Needs.Statement(
            digest: digest.finalize(),
            lifetime: content.time.map { .until($0.timestamp.adding(milliseconds: period)) }
                ?? .afterAcceptance(milliseconds: period))
    }

    /// The key id of the device whose secret is in a certificate. Throws `secret_undecryptable`.
    func deviceKeyID(_ extensions: FleetExtensions) throws(Rejection) -> [UInt8] {
        let secret = try extensions.secret(fleet)
        guard let app, let fleet else {
            throw Rejection(.secretUndecryptable, "the app has no fleet with key tables")
        }
        return fleet.keyID(ofSecret: secret, app: app)
    }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let reading = try read(evidence, in: context, &appraisal)
        let (content, signature) = (reading.content, reading.signature)
        let certificates =
            switch reading.certificates {
            case .known(let known): try trust(known, at: context.now, &appraisal)
            case .presented(let presented): try trust(presented, at: context.now, &appraisal)
            }
        try checkAnchor(of: certificates, at: context.now, &appraisal)
        let record = context.facts.certificate.flatMap { $0.name == certificates.name ? $0 : nil }
        try checkRevocation(of: certificates, record, at: context.now, &appraisal)
        try checkSignature(signature, content, certificates, &appraisal)
        try appraisal.requireAllPassed()
        // From here on the statement is authenticated by the certificate's key.
        if case .presented = reading.certificates, context.examination == nil { known.insert(certificates, for: reading.key) }
        claim(content, signature, certificates, &appraisal)
        appraisal.imageDigest = content.imageHash
        try checkTime(content, certificates.chain.leaf.validity, at: context.now, &appraisal)
        // The registry is not known to those who look at a file.
        guard context.examination == nil else { return }
        try checkRecord(record, certificates, &appraisal)
        try appraisal.requirePassed("certificate_record")
        let device = try checkDevice(context.facts.device, record, certificates, &appraisal)
        try judge(device, record, in: context, &appraisal)
        countSubmission(context.facts.submissions, of: device, &appraisal)
        appraisal.restsOn = record?.name
    }
}
