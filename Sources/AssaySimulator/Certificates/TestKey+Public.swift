import AssayEncoding
import Crypto
import CryptoExtras

extension TestKey {
    /// DER SubjectPublicKeyInfo.
    public var subjectPublicKeyInfo: [UInt8] {
        switch key {
        case .curve(let key): key.subjectPublicKeyInfo
        case .rsa(let key): Array(key.publicKey.derRepresentation)
        case .ed25519, .mlDSA65, .mlDSA87: Self.subjectPublicKeyInfo(kind, publicKeyBits)
        }
    }

    /// The content of the BIT STRING: a point, an RSAPublicKey, or the key's own bytes.
    public var publicKeyBits: [UInt8] {
        switch key {
        case .curve(let key): key.publicPoint
        case .rsa(let key): Array(key.publicKey.pkcs1DERRepresentation)
        case .ed25519(let key): Array(key.publicKey.rawRepresentation)
        case .mlDSA65(let key): Array(key.publicKey.rawRepresentation)
        case .mlDSA87(let key): Array(key.publicKey.rawRepresentation)
        }
    }

    /// SHA-256 of the SubjectPublicKeyInfo, which identifies keys in registries. 32 bytes.
    public var subjectPublicKeyInfoDigest: [UInt8] { Array(SHA256.hash(data: subjectPublicKeyInfo)) }

    /// DER SubjectPublicKeyInfo of a kind with any bytes as the key.
    public static func subjectPublicKeyInfo(_ kind: Kind, _ bits: [UInt8]) -> [UInt8] {
        let algorithm: [[UInt8]] =
            switch kind {
            case .p256, .p384:
                [
                    DERWriter.objectIdentifier("1.2.840.10045.2.1"),
                    DERWriter.objectIdentifier(kind == .p256 ? "1.2.840.10045.3.1.7" : "1.3.132.0.34"),
                ]
            case .rsa1024, .rsa2048, .rsa3072, .rsa4096: [DERWriter.objectIdentifier("1.2.840.113549.1.1.1"), DERWriter.null]
            case .ed25519: [DERWriter.objectIdentifier("1.3.101.112")]
            case .mlDSA65: [DERWriter.objectIdentifier("2.16.840.1.101.3.4.3.18")]
            case .mlDSA87: [DERWriter.objectIdentifier("2.16.840.1.101.3.4.3.19")]
            }
        return DERWriter.sequence([DERWriter.sequence(algorithm), DERWriter.bitString(bits)])
    }
}
