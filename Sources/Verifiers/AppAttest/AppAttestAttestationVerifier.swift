package import AssayCertificates
package import AssayCore
import AssayEncoding
import Crypto

/// Appraises what `DCAppAttestService.attestKey` returns: a new key in a Secure Enclave (Apple, "Validating apps that connect
/// to your server", "Verify the attestation").
package struct AppAttestAttestationVerifier: EvidenceVerifier {
    package static let format = EvidenceFormat.appAttestAttestation

    package let format: EvidenceFormat = Self.format
    package let purposes: Set<Purpose> = [.register, .provision]
    package let sizeLimit: Int = AttestationObject.sizeLimit
    package let usualFindings: Int = 48
    package let bindingCheck: String? = "nonce"
    package var replayProtection: ReplayProtection { .challenge(acceptableFor: policy.receipt.acceptableFor) }

    let identities: [AppAttestIdentity]
    let policy: AppAttestPolicy
    let validator: ChainValidator
    let receipts: ReceiptVerifier
    private let attribution: ExtensionAttribution

    /// - Parameters:
    ///   - anchors: roots of attestations.
    ///   - receiptAnchors: roots of receipts, which are other roots.
    package init(
        identities: [AppAttestIdentity], anchors: [TrustAnchor], receiptAnchors: [TrustAnchor], policy: AppAttestPolicy,
        links: LinkCache, attribution: ExtensionAttribution = .vouched
    ) {
        self.identities = identities.merged
        self.policy = policy
        self.attribution = attribution
        validator = ChainValidator(anchors: anchors, profile: Self.chainProfile, links: links)
        receipts = ReceiptVerifier(anchors: receiptAnchors, links: links)
    }

    /// Every sample has leaf and intermediate; up to four certificates are read, so that Apple may lengthen the chain. A P-384
    /// authority signs the leaf with SHA-256.
    static let chainProfile = ChainProfile(
        lengths: 2...4, signatureAlgorithms: [.ecdsaWithSHA256, .ecdsaWithSHA384], leafKeys: [.p256],
        authorityKeys: [.p384, .p256], leafUsage: .digitalSignature)

    package var importer: (any DeviceImporter)? {
        policy.acceptImported ? AppAttestImporter(identities: identities) : nil
    }

    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .nothing }

    /// One attestation of a key over what the caller guarantees is one use, whatever encoding the object has: unsigned members
    /// can be added to it. The key id is compared with the certified key.
    package func use(of evidence: Evidence, for app: AppID, vouched: [UInt8]) -> [UInt8] {
        var hash = FieldDigest("assay.app-attest.use.v1")
        hash.append(app.text)
        hash.append(evidence.keyID)
        hash.append(vouched)
        return hash.finalize()
    }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let object = try readObject(evidence, &appraisal)
        let chain = try validateChain(object, at: context.now, &appraisal)
        try checkBinding(evidence, object, chain, context.binding, &appraisal)
        try appraisal.requireAllPassed()
        // From here on every byte of the authenticator data is authenticated by Apple's signature.
        let attested = try readAuthenticatorData(evidence, object, chain, &appraisal)
        let (identity, environment) = try checkAttested(attested, chain, &appraisal)
        let extensions = try appraisal.check("extensions") { () throws(Rejection) in
            try attested.data.extensions()
        }
        // Read here, since it may authenticate the extensions; the findings of its checks come last.
        let receipt = readReceipt(object, attested, chain, environment, in: context)
        let isVouched = receipt?.vouchesForExtensions == true || attribution == .presumed
        let reported = isVouched ? extensions.attributed : extensions
        reported.report(unvouched: Self.unvouched(by: receipt), in: &appraisal)
        try checkAccessControl(chain.leaf, identity, &appraisal)
        try policy.judge(reported, registered: nil, in: &appraisal)
        try judge(receipt, &appraisal)

        appraisal.assurance = .secureElement
        appraisal.platform = identity.platform.device
        appraisal.effect = .register(
            Registration(
                format: format, keyID: evidence.keyID, publicKey: Array(chain.leaf.publicKey.keyBytes),
                environment: environment.rawValue, anchor: chain.anchor.publicKeySHA256, claims: appraisal.claims,
                chainSerials: chain.serials, receipt: Array(object.receipt), simulated: appraisal.simulated))
    }
}

/// The authenticated content of an attestation's authenticator data.
struct AttestedData {
    let data: AuthenticatorData
    let credential: AttestedCredential
    let keyID: [UInt8]
    /// Not verified.
    let receipt: ArraySlice<UInt8>

    /// The App ID for a sentence: in clear if the receipt names one with this hash.
    var shownAppID: String {
        // Whole, as the hashes of a configuration are: two that differ may begin alike.
        let digest = "with the SHA-256 \(Hex.encode(data.rpIDHash))"
        guard let message = try? SignedData(parsing: receipt), let receipt = try? Receipt(payload: message.content) else {
            return digest
        }
        let hash = SHA256.bytes(of: Array(receipt.appID.utf8))
        guard data.rpIDHash.elementsEqual(hash) else {
            return "\(digest) (the receipt names another one, \(receipt.appID.shown))"
        }
        return "\(receipt.appID.shown), by its receipt,"
    }
}
