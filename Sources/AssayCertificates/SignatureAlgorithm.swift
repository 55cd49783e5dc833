package import AssayEncoding

/// The algorithm that a certificate was signed with. It chooses the hash; the issuer's key chooses the curve (a P-384
/// key signs with SHA-256 on every App Attest leaf).
package enum SignatureAlgorithm: Hashable, Sendable {
    case ecdsaWithSHA256
    case ecdsaWithSHA384
    case ecdsaWithSHA512
    /// Recognised as an algorithm, but nothing here verifies it; also an ECDSA algorithm with parameters, which
    /// RFC 5758 §3.2 forbids.
    case unsupported(OID)

    private static let sha256 = OID(1, 2, 840, 10045, 4, 3, 2)
    private static let sha384 = OID(1, 2, 840, 10045, 4, 3, 3)
    private static let sha512 = OID(1, 2, 840, 10045, 4, 3, 4)

    init(_ oid: OID, hasParameters: Bool) {
        switch oid {
        case Self.sha256 where !hasParameters: self = .ecdsaWithSHA256
        case Self.sha384 where !hasParameters: self = .ecdsaWithSHA384
        case Self.sha512 where !hasParameters: self = .ecdsaWithSHA512
        default: self = .unsupported(oid)
        }
    }
}
