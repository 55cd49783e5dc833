package import AssayCore
package import AssaySigning

/// A key under which results are signed: its signer, and what all its tokens repeat, encoded once. A class, so that passing it on costs one count.
package final class ResultKey: Sendable {
    package let signer: any Signer
    package let issuer: ResultIssuer
    package let webKey: JSONWebKey
    /// The certificates of the key (DER), its own first; empty if it has none. They go into the header of the shapes that have `x5c`, and of every
    /// shape if the key is one in memory.
    package let certificates: [[UInt8]]
    /// How it certifies keys in memory that sign results in its place; `nil`: it signs them itself.
    package let certification: ResultKeyCertification?
    /// Of a key in memory, the first of `certificates`: no result that it signs outlives it. `nil` for a key that is published.
    package let certificate: ShortLivedCertificate?
    /// What the ledger publishes of the key. Nothing is published of a key in memory.
    package let published: ResultPublicKey
    let heads: ResultHeads

    /// - Returns: `nil` if the key is none of those that a JWK is written for.
    package convenience init?(
        _ signer: any Signer, issuer: ResultIssuer, certificates: [[UInt8]] = [], certification: ResultKeyCertification? = nil
    ) {
        self.init(signer, issuer, certificates, certification, nil)
    }

    /// A key in memory that another one certified.
    convenience init?(_ signer: any Signer, of key: ResultKey, by certificate: ShortLivedCertificate) {
        self.init(signer, key.issuer, [certificate.der] + key.certificates, nil, certificate)
    }

    private init?(
        _ signer: any Signer, _ issuer: ResultIssuer, _ certificates: [[UInt8]], _ certification: ResultKeyCertification?,
        _ certificate: ShortLivedCertificate?
    ) {
        guard let webKey = JSONWebKey(subjectPublicKeyInfo: signer.publicKey) else { return nil }
        (self.signer, self.issuer, self.webKey, self.certificates) = (signer, issuer, webKey, certificates)
        (self.certification, self.certificate) = (certification, certificate)
        let identifier = webKey.thumbprint
        published = ResultPublicKey(identifier: identifier, issuer: issuer.kind, publicKey: signer.publicKey)
        heads = ResultHeads(
            signer.algorithm, identifier: certificate == nil ? identifier : nil, certificates: certificates,
            issuer: issuer.address)
    }

    /// RFC 7638 thumbprint, 32 bytes. `kid` is its base64url.
    package var identifier: [UInt8] { published.identifier }

    /// Why the key cannot be used now, in a sentence; `nil` if nothing is known against it.
    package var problem: String? { signer.problem }

    /// Whether it can sign a shape: some need certificates, and the EU wallet's know ECDSA only (TS3 §2.6).
    package func canSign(_ shape: ResultShape) -> Bool {
        !shape.hasCertificates || !certificates.isEmpty && webKey.curve != .ed25519
    }
}
