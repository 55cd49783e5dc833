/// The claims of one accepted verdict, kept beside its audit record for apps that configure it. The record holds only their salted
/// digest, so they can be deleted without changing the chain, and cannot be guessed from the digest afterwards.
public struct AuditClaims: Hashable, Sendable {
    /// 16 random bytes, deleted with the claims.
    public let salt: [UInt8]
    /// The encoding of `Claims.encoded()`.
    public let claims: [UInt8]

    public init(salt: [UInt8], claims: [UInt8]) { (self.salt, self.claims) = (salt, claims) }

    /// Claims with a fresh salt.
    public init(_ claims: Claims) { self.init(salt: SecureRandom.bytes(16), claims: claims.encoded()) }

    /// The digest that the record holds, 32 bytes: SHA-256 over the label `assay.audit.claims.v1`, salt and claims, each behind its length
    /// (`FieldDigest`).
    public var digest: [UInt8] {
        var hash = FieldDigest("assay.audit.claims.v1")
        hash.append(salt)
        hash.append(claims)
        return hash.finalize()
    }
}
