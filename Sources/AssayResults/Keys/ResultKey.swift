package import AssayCore
package import AssaySigning

/// A key under which results are signed: its signer, and what all its tokens repeat, encoded once.
package struct ResultKey: Sendable {
    package let signer: any Signer
    package let issuer: ResultIssuer
    package let webKey: JSONWebKey
    /// The certificates of the key (DER), its own first; empty if it has none. They go into the header of the shapes that have `x5c`.
    package let certificates: [[UInt8]]
    /// What the ledger publishes of the key.
    package let published: ResultPublicKey

    /// - Returns: `nil` if the key is none of those that a JWK is written for.
    package init?(_ signer: any Signer, issuer: ResultIssuer, certificates: [[UInt8]] = []) {
        guard let webKey = JSONWebKey(subjectPublicKeyInfo: signer.publicKey) else { return nil }
        (self.signer, self.issuer, self.webKey, self.certificates) = (signer, issuer, webKey, certificates)
        published = ResultPublicKey(identifier: webKey.thumbprint, issuer: issuer.kind, publicKey: signer.publicKey)
    }

    /// RFC 7638 thumbprint, 32 bytes. `kid` is its base64url.
    package var identifier: [UInt8] { published.identifier }
}
