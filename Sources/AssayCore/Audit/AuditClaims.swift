/// The claims of one accepted verdict, kept beside its audit record for apps that want them. The record holds only their salted
/// digest: forgotten, they leave the chain as it was, and nobody can find out by trying what they said.
public struct AuditClaims: Hashable, Sendable {
    /// 16 random bytes, forgotten together with the claims.
    public let salt: [UInt8]
    /// As `Claims.encoded()` makes them.
    public let claims: [UInt8]

    public init(salt: [UInt8], claims: [UInt8]) { (self.salt, self.claims) = (salt, claims) }

    /// Claims under a fresh salt.
    public init(_ claims: Claims) { self.init(salt: SecureRandom.bytes(16), claims: claims.encoded()) }

    /// What the record holds: SHA-256 over the label `assay.audit.claims.v1`, salt and claims, each behind its length
    /// (`FieldDigest`).
    public var digest: [UInt8] {
        var hash = FieldDigest("assay.audit.claims.v1")
        hash.append(salt)
        hash.append(claims)
        return hash.finalize()
    }
}
