import AssayCertificates
package import AssayCore
package import AssaySigning

/// A CA that can sign: a checked chain, and the private key of its first certificate.
package final class IssuingAuthority: Sendable {
    /// The name in the configuration.
    package let name: String
    package let chain: AuthorityChain
    package let signer: any Signer
    /// It signs new certificates from this instant on, until a later CA does. Never before its chain is valid.
    package let start: Timestamp
    /// SHA-256 of the SubjectPublicKeyInfo, 32 bytes.
    package let issuer: [UInt8]
    /// Its key and name in the form in which certificates are signed.
    let certificateSigner: CertificateSigner
    let profiles: ProfileMemory

    /// Throws unless the key is that of the chain's first certificate.
    ///
    /// - Parameter signsFrom: `nil`: from the beginning of its chain's validity.
    package init(
        name: String, chain: AuthorityChain, signer: any Signer, signsFrom: Timestamp? = nil
    ) throws(AuthorityChainError) {
        guard chain.issuer.publicKey.der.elementsEqual(signer.publicKey) else {
            throw AuthorityChainError("the key is not that of \"\(chain.issuer.subject)\"")
        }
        (self.name, self.chain, self.signer) = (name, chain, signer)
        start = max(signsFrom ?? chain.validity.notBefore, chain.validity.notBefore)
        issuer = chain.issuer.publicKey.sha256
        certificateSigner = CertificateSigner(signer, name: Array(chain.issuer.subject.der))
        profiles = ProfileMemory(authorityKey: chain.keyIdentifier)
    }

    package func hasEnded(at now: Timestamp) -> Bool { now > chain.validity.notAfter }
}
