import AssayCertificates
import AssayCore
import Crypto
import CryptoExtras

/// The public key of a registration, ready to verify messages.
enum RegisteredKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    /// 2048 to 4096 bits.
    case rsa(_RSA.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
    case mlDSA65(MLDSA65.PublicKey)
    case mlDSA87(MLDSA87.PublicKey)

    /// Throws `unsupported_key` for a key whose signatures cannot be verified here.
    init(_ registration: Registration) throws(Rejection) {
        // Parsed once for all later verifications: nearly every key is a P-256 key.
        if let key = registration.p256 {
            self = .p256(key)
            return
        }
        let info = try SubjectPublicKeyInfo(der: registration.publicKey[...], code: .unsupportedKey)
        switch info.algorithm {
        case .p256, .p384, .p521, .rsa: self = try Self.known(try PublicKey(info))
        case .ed25519: self = .ed25519(try Self.read { try Curve25519.Signing.PublicKey(rawRepresentation: info.keyBytes) })
        case .mlDSA65: self = .mlDSA65(try Self.read { try MLDSA65.PublicKey(rawRepresentation: info.keyBytes) })
        case .mlDSA87: self = .mlDSA87(try Self.read { try MLDSA87.PublicKey(rawRepresentation: info.keyBytes) })
        case .p224, .x25519, .unsupported: throw Self.unsupported
        }
    }

    private static func known(_ key: PublicKey) throws(Rejection) -> Self {
        switch key {
        case .p256(let key): .p256(key)
        case .p384(let key): .p384(key)
        case .rsa(let key): .rsa(key)
        case .p521: throw unsupported
        }
    }

    private static func read<Key>(_ make: () throws -> Key) throws(Rejection) -> Key {
        guard let key = try? make() else { throw unsupported }
        return key
    }

    private static var unsupported: Rejection {
        Rejection(.unsupportedKey, "the registered key is of a kind that verifies no signature here")
    }

    /// Whether a key of this kind signs with the algorithm.
    func signs(by algorithm: KeySignatureAlgorithm) -> Bool {
        switch self {
        case .p256: algorithm == .ecdsaP256SHA256
        case .p384: algorithm == .ecdsaP384SHA384 || algorithm == .ecdsaP384SHA256
        case .rsa: algorithm == .rsaPSSSHA256 || algorithm == .rsaPKCS1SHA256
        case .ed25519: algorithm == .ed25519
        case .mlDSA65: algorithm == .mlDSA65
        case .mlDSA87: algorithm == .mlDSA87
        }
    }

    /// Whether the key signed the message. The algorithm has been compared with the kind of key before. Throws `bad_signature` for one of
    /// ECDSA in another form than DER.
    func isValid(
        _ signature: ArraySlice<UInt8>, by algorithm: KeySignatureAlgorithm, over message: [UInt8]
    ) throws(Rejection) -> Bool {
        switch self {
        case .p256(let key):
            let raw = try ECDSASignature(der: signature, width: 32).raw
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
            return key.isValidSignature(signature, for: SHA256.digest(of: message))
        case .p384(let key):
            let raw = try ECDSASignature(der: signature, width: 48).raw
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
            return algorithm == .ecdsaP384SHA256
                ? key.isValidSignature(signature, for: SHA256.hash(data: message))
                : key.isValidSignature(signature, for: SHA384.hash(data: message))
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
                padding: algorithm == .rsaPSSSHA256 ? .PSS : .insecurePKCS1v1_5)
        case .ed25519(let key): return key.isValidSignature(signature, for: message)
        case .mlDSA65(let key): return key.isValidSignature(signature, for: message)
        case .mlDSA87(let key): return key.isValidSignature(signature, for: message)
        }
    }
}
