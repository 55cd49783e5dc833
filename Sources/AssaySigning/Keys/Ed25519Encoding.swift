import AssayCore
import AssayEncoding
import Crypto

/// Keys of Ed25519 in DER (RFC 8410).
package enum Ed25519Encoding {
    /// id-Ed25519. Its AlgorithmIdentifier has no parameters (§3).
    static let identifier = OID(1, 3, 101, 112)

    private static let algorithm = DERWriter.sequence([DERWriter.objectIdentifier("1.3.101.112")])

    /// SubjectPublicKeyInfo (§4) of a public key of 32 bytes.
    package static func subjectPublicKeyInfo(_ key: [UInt8]) -> [UInt8] {
        DERWriter.sequence([algorithm, DERWriter.bitString(key)])
    }

    /// PrivateKeyInfo (§7), version 1, of a private key of 32 bytes.
    static func privateKeyInfo(_ key: [UInt8]) -> [UInt8] {
        DERWriter.sequence([DERWriter.integer(0), algorithm, DERWriter.octetString(DERWriter.octetString(key))])
    }

    /// Reads a CurvePrivateKey (§7) and what stands behind it: attributes, and a public key (RFC 5958 §2), which must be its own.
    static func privateKey(
        _ inner: ArraySlice<UInt8>, beside fields: inout DERReader
    ) throws(Rejection) -> Curve25519.Signing.PrivateKey {
        let scalar = try DERReader.parse(inner, code: .unsupportedKey) { reader throws(Rejection) in try reader.octetString() }
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: scalar) else {
            throw fields.rejection("not a private key of Ed25519")
        }
        _ = try fields.optional(.context(0))
        if let beside = try fields.optional(.implicit(1)) {
            // A BIT STRING whose octets all count.
            guard beside.content.elementsEqual([0] + key.publicKey.rawRepresentation) else {
                throw fields.rejection("the public key beside the private key is another one")
            }
        }
        return key
    }
}
