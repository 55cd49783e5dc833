import AssaySigning
import Crypto

/// Whether a signature verifies under a public key (SubjectPublicKeyInfo, DER).
///
/// - Parameter isRaw: whether it is r ‖ s, as JOSE and COSE have it, or an ECDSA-Sig-Value (DER). Those of Ed25519 have one form.
func verifies(
    _ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8], _ algorithm: SigningAlgorithm, isRaw: Bool = false
) throws -> Bool {
    switch algorithm {
    case .p256:
        let value =
            isRaw
            ? try P256.Signing.ECDSASignature(rawRepresentation: signature)
            : try P256.Signing.ECDSASignature(derRepresentation: signature)
        return try P256.Signing.PublicKey(derRepresentation: publicKey).isValidSignature(value, for: message)
    case .ed25519:
        // A SubjectPublicKeyInfo ends with the key.
        return try Curve25519.Signing.PublicKey(rawRepresentation: publicKey.suffix(32)).isValidSignature(
            signature, for: message)
    case .p384:
        let value =
            isRaw
            ? try P384.Signing.ECDSASignature(rawRepresentation: signature)
            : try P384.Signing.ECDSASignature(derRepresentation: signature)
        return try P384.Signing.PublicKey(derRepresentation: publicKey).isValidSignature(value, for: message)
    }
}
