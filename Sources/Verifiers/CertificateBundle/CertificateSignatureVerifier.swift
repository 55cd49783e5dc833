import AssayCertificates
package import AssayCore
import Crypto

/// Appraises a signature over client data by the key of a device certificate that is to be renewed. The key proves that it still belongs to
/// the device, whose registration is judged again under today's policy.
package struct CertificateSignatureVerifier: EvidenceVerifier {
    package let format: EvidenceFormat = .certificateSignature
    package let purposes: Set<Purpose> = [.renew]
    /// One byte of algorithm and a DER signature on P-384 have at most 113 bytes with their lengths. Longer encodings are refused as
    /// malformed rather than too large, up to this.
    package let sizeLimit: Int = 256
    package let replayProtection: ReplayProtection = .challenge()

    private let judges: [EvidenceFormat: any RegisteredDeviceAppraiser]
    private let issuers: Set<[UInt8]>

    /// - Parameter issuers: SHA-256 of the SubjectPublicKeyInfo of each of Assay's own CAs.
    package init(judges: [any RegisteredDeviceAppraiser], issuers: Set<[UInt8]>) {
        self.judges = Dictionary(judges.map { ($0.format, $0) }, uniquingKeysWith: { _, last in last })
        self.issuers = issuers
    }

    /// The key id is that of the certified key. It is sent beside the signature and is not authenticated until the signature is verified.
    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
        Needs(revocation: true, certificate: .key(evidence.keyID))
    }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let (algorithm, signature) = try read(evidence, &appraisal)
        let (record, certificate) = try checkCertificate(evidence, context.facts.certificate, &appraisal)
        // A CA that left the configuration is trusted no more: not for bundles, and not for certificates that follow.
        try appraisal.require(
            "chain_anchor", issuers.contains(record.name.issuer), else: .untrustedRoot,
            "the CA that issued the certificate is not in the configuration")
        try appraisal.check("signature") { () throws(Rejection) in
            let key = try PublicKey(certificate.publicKey)
            try key.verify(signature, by: try algorithm.scheme(of: key), over: context.binding.clientData[...])
        }
        try appraisal.requireAllPassed()
        // From here on the request is authenticated by the certificate's key.
        appraisal.claims.add("certificate_serial", .text(SerialNumber.hexadecimal(record.name.serial)))
        appraisal.claims.add("key_id", .bytes(record.keyID))
        appraisal.claims.add("key_protection", .text(record.basis.protection.name))
        appraisal.simulated = record.basis.simulated
        try appraisal.check("revocation") { () throws(Rejection) in
            guard let revocation = record.revocation else { return }
            throw Rejection(.revoked, "the certificate is revoked since \(revocation.time): \(revocation.reason.name)")
        }
        // The ledger judges the end of a certificate without skew, and so does this.
        try appraisal.check("certificate_validity") { () throws(Rejection) in
            try certificate.requireValid(
                at: context.now, skew: CertificateBundleVerifier.skew, place: 0, checksEnd: false)
            guard context.now <= record.notAfter else {
                throw Rejection(.expired, "the certificate was valid until \(record.notAfter)")
            }
        }
        try judge(context.facts.device, record, in: context, &appraisal)
        appraisal.restsOn = record.name
    }

    /// The two parts: the algorithm's byte, and the signature.
    private func read(
        _ evidence: BoundedEvidence, _ appraisal: inout Appraisal
    ) throws(Rejection) -> (KeySignatureAlgorithm, ArraySlice<UInt8>) {
        try appraisal.check("signature_form") { () throws(Rejection) in
            guard let parts = evidence.parts, parts.count == 2, let first = parts.first, first.count == 1,
                let byte = first.first, let signature = parts.last
            else { throw Rejection(.badSignature, "not an algorithm and a signature") }
            guard let algorithm = KeySignatureAlgorithm(rawValue: byte) else {
                throw Rejection(.unsupportedAlgorithm, "signature algorithm \(byte)")
            }
            return (algorithm, signature)
        }
    }

    /// The certificate on record for this key, whose content the registry vouches for.
    private func checkCertificate(
        _ evidence: BoundedEvidence, _ found: DeviceCertificate?, _ appraisal: inout Appraisal
    ) throws(Rejection) -> (DeviceCertificate, Certificate) {
        try appraisal.check("certificate_record") { () throws(Rejection) in
            guard let record = found, record.keyID == evidence.keyID else {
                if let fault = KeyIDForm.fault(of: evidence.keyID) { throw Rejection(.keyIDMismatch, fault) }
                throw Rejection(.unknownCertificate, "no certificate is on record for this key")
            }
            // The bytes are deleted when the device is replaced or forgotten. Revocation lists name the certificate, so that the answer
            // discloses nothing although the signature cannot be verified.
            guard !record.der.isEmpty else {
                guard let revocation = record.revocation else {
                    throw Rejection(.unknownCertificate, "the certificate of this key is deleted, as its device was forgotten")
                }
                throw Rejection(.revoked, "the certificate is revoked since \(revocation.time): \(revocation.reason.name)")
            }
            let certificate = try Certificate(der: record.der[...])
            guard certificate.publicKey.sha256 == record.keyID else {
                throw Rejection(.unknownCertificate, "the certificate on record is for another key")
            }
            return (record, certificate)
        }
    }

    private func judge(
        _ found: Device?, _ record: DeviceCertificate, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let (device, judge) = try appraisal.check("device") { () throws(Rejection) in
            guard let device = found, device.id == record.device, device.app == record.app,
                let judge = judges[device.registration.format]
            else { throw Rejection(.unknownDevice, "the certificate's device is not registered, or its platform not accepted") }
            return (device, judge)
        }
        try judge.judge(device, in: context, &appraisal)
        appraisal.assurance = min(appraisal.assurance, record.basis.assurance)
    }
}

extension KeySignatureAlgorithm {
    /// The algorithm by which a certified key signs. Throws `unsupported_algorithm`.
    fileprivate func scheme(of key: PublicKey) throws(Rejection) -> SignatureAlgorithm {
        switch (self, key) {
        case (.ecdsaP256SHA256, .p256), (.ecdsaP384SHA256, .p384): .ecdsaWithSHA256
        case (.ecdsaP384SHA384, .p384): .ecdsaWithSHA384
        default: throw Rejection(.unsupportedAlgorithm, "the certified key does not sign by \(name)")
        }
    }
}
