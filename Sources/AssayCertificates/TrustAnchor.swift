package import AssayCore
import AssayEncoding
import Crypto

/// A trusted name and key at which chains may end. A certificate of the anchor is only the source of the two, so its dates are
/// for information.
///
/// A class, because every appraisal looks anchors up: a reference costs one count, not one for each part.
package final class TrustAnchor: Sendable {
    /// The name for people.
    package let name: String
    /// Its publisher, and where it is published.
    package let publisher: String
    package let subject: DistinguishedName
    package let publicKey: SubjectPublicKeyInfo
    /// SHA-256 of the published certificate.
    package let certificateSHA256: [UInt8]
    /// SHA-256 of the SubjectPublicKeyInfo: identifies the anchor in registrations.
    package let publicKeySHA256: [UInt8]
    /// Of the published certificate, for information.
    package let validity: Validity
    /// True for roots that only a test configuration names. Evidence below one is `simulated` permanently.
    package let simulated: Bool
    /// True for roots whose private key is public: anyone can issue certificates below them. Only below such a root are weak
    /// RSA keys accepted.
    package let isSoftware: Bool

    let key: PublicKey

    /// Creates an anchor from its facts: subject and SubjectPublicKeyInfo in DER.
    package init(
        name: String, publisher: String, subject: [UInt8], publicKey: [UInt8], certificateSHA256: [UInt8], validity: Validity,
        simulated: Bool, isSoftware: Bool = false
    ) throws(Rejection) {
        self.name = name
        self.publisher = publisher
        self.subject = try DistinguishedName(der: subject[...])
        self.publicKey = try SubjectPublicKeyInfo(der: publicKey[...])
        self.certificateSHA256 = certificateSHA256
        publicKeySHA256 = Array(SHA256.hash(data: publicKey))
        self.validity = validity
        self.simulated = simulated
        self.isSoftware = isSoftware
        key = try PublicKey(self.publicKey, allowsWeakRSA: isSoftware)
    }

    /// Reads an anchor that the configuration names: a PEM text with exactly one CA certificate.
    package convenience init(name: String, pem: String, simulated: Bool) throws(Rejection) {
        let blocks = try PEM.decode(pem)
        guard blocks.count == 1, let der = blocks.first else {
            throw Rejection(.malformedCertificate, "\(blocks.count) certificates where one anchor is configured")
        }
        try self.init(name: name, configured: der, simulated: simulated)
    }

    /// Reads the anchor of the certificates that a CA of ours issues: the first CA certificate of a PEM text, before those above it.
    package convenience init(name: String, issuing pem: String) throws(Rejection) {
        guard let der = try PEM.decode(pem).first else { throw Rejection(.malformedCertificate, "no certificate") }
        try self.init(name: name, configured: der, simulated: false)
    }

    private convenience init(name: String, configured der: [UInt8], simulated: Bool) throws(Rejection) {
        let certificate = try Certificate(der: der[...])
        guard try certificate.basicConstraints()?.isCA == true else {
            throw Rejection(.badChain, "the certificate configured as an anchor is not a CA certificate")
        }
        try self.init(
            name: name, publisher: "configuration", subject: Array(certificate.subject.der),
            publicKey: Array(certificate.publicKey.der), certificateSHA256: certificate.digest, validity: certificate.validity,
            simulated: simulated)
    }
}

extension TrustAnchor {
    /// Whether a certificate names the anchor as its issuer and has the anchor's signature. For choosing between anchors of one name;
    /// `ChainValidator` decides whether a chain is good.
    package func issued(_ certificate: Certificate) -> Bool {
        guard certificate.issuer == subject else { return false }
        let signed: Void? = try? key.verify(
            certificate.signature, by: certificate.signatureAlgorithm, over: certificate.signedPart)
        return signed != nil
    }
}

extension TrustAnchor: Hashable {
    package static func == (a: TrustAnchor, b: TrustAnchor) -> Bool {
        a.subject == b.subject && a.publicKey == b.publicKey && a.simulated == b.simulated
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(subject)
        hasher.combine(publicKey)
    }
}

extension TrustAnchor {
    /// A built-in anchor; `nil` if its facts are invalid.
    ///
    /// - Parameters:
    ///   - subject: DER in Base64, as is `publicKey`.
    ///   - certificate: SHA-256 in hexadecimal.
    ///   - validity: seconds since 1970.
    package static func builtIn(
        name: String, publisher: String, subject: String, publicKey: String, certificate: String, validity: (Int64, Int64),
        isSoftware: Bool = false
    ) -> TrustAnchor? {
        guard let subject = Base64.standard.decode(subject), let publicKey = Base64.standard.decode(publicKey),
            let certificate = Hex.decode(certificate)
        else { return nil }
        return try? TrustAnchor(
            name: name, publisher: publisher, subject: subject, publicKey: publicKey, certificateSHA256: certificate,
            validity: Validity(
                notBefore: Timestamp(unixSeconds: validity.0), notAfter: Timestamp(unixSeconds: validity.1)),
            simulated: isSoftware, isSoftware: isSoftware)
    }
}

extension PolicyText {
    /// Adds the key of each anchor, and whether it is simulated, in an order of their own.
    package mutating func add(_ key: String, _ anchors: [TrustAnchor]) {
        for anchor in anchors.sorted(by: { $0.publicKeySHA256.lexicographicallyPrecedes($1.publicKeySHA256) }) {
            let kind = anchor.simulated ? " (simulated)" : ""
            add(key, hashed: anchor.publicKeySHA256, shown: "\(Hex.encode(anchor.publicKeySHA256)) \(anchor.name)\(kind)")
            mark(anchor.simulated ? 1 : 0)
        }
    }
}
