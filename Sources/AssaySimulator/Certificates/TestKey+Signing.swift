public import AssayCore
import AssayEncoding
import Crypto
import CryptoExtras
import Synchronization

extension TestKey {
    /// The default signature algorithm of the key.
    public var usualScheme: KeySignatureAlgorithm {
        switch kind {
        case .p256: .ecdsaP256SHA256
        case .p384: .ecdsaP384SHA384
        case .rsa1024, .rsa2048, .rsa3072, .rsa4096: .rsaPSSSHA256
        case .ed25519: .ed25519
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        }
    }

    /// A signature as Android's `Signature` class returns it: ECDSA in DER. Signatures are randomised, except for RSA PKCS #1
    /// and Ed25519. Throws if the key does not support the algorithm.
    public func sign(_ message: [UInt8], by scheme: KeySignatureAlgorithm) throws(SimulatorError) -> [UInt8] {
        switch (key, scheme) {
        case (.curve(let key), .ecdsaP256SHA256) where key.curve == .p256,
            (.curve(let key), .ecdsaP384SHA256) where key.curve == .p384:
            try key.sign(message, hash: .sha256).der
        case (.curve(let key), .ecdsaP384SHA384) where key.curve == .p384: try key.sign(message, hash: .sha384).der
        case (.rsa(let key), .rsaPSSSHA256): try Self.sign(SHA256.hash(data: message), key, .PSS)
        case (.rsa(let key), .rsaPKCS1SHA256): try Self.sign(SHA256.hash(data: message), key, .insecurePKCS1v1_5)
        case (.ed25519, .ed25519), (.mlDSA65, .mlDSA65), (.mlDSA87, .mlDSA87): try signWhole(message)
        default: throw .invalidKey
        }
    }

    /// A certificate's signature: ECDSA in DER, or RSA PKCS #1. Keys of kinds with a hash of their own use that.
    func sign(certificate message: [UInt8], hash: TestSigningKey.Hash) throws(SimulatorError) -> [UInt8] {
        switch key {
        case .curve(let key): return try key.sign(message, hash: hash).der
        case .rsa(let key):
            switch hash {
            case .sha256: return try Self.sign(SHA256.hash(data: message), key, .insecurePKCS1v1_5)
            case .sha384: return try Self.sign(SHA384.hash(data: message), key, .insecurePKCS1v1_5)
            }
        case .ed25519, .mlDSA65, .mlDSA87: return try signWhole(message)
        }
    }

    /// Signs with a kind that takes a message rather than a digest.
    private func signWhole(_ message: [UInt8]) throws(SimulatorError) -> [UInt8] {
        do {
            switch key {
            case .ed25519(let key): return Array(try key.signature(for: message))
            case .mlDSA65(let key): return Array(try key.signature(for: message))
            case .mlDSA87(let key): return Array(try key.signature(for: message))
            case .curve, .rsa: throw SimulatorError.invalidKey
            }
        } catch {
            throw .signing("\(error)")
        }
    }

    private static func sign(
        _ digest: some Digest, _ key: _RSA.Signing.PrivateKey, _ padding: _RSA.Signing.Padding
    ) throws(SimulatorError) -> [UInt8] {
        do { return Array(try key.signature(for: digest, padding: padding).rawRepresentation) } catch {
            throw .signing("\(error)")
        }
    }
}

extension CertificateBuilder.Algorithm {
    /// The algorithm identifier for a key's default signature.
    public static func usual(for key: TestKey) -> Self {
        switch key.kind {
        case .p256: .ecdsaWithSHA256
        case .p384: .ecdsaWithSHA384
        case .rsa1024, .rsa2048, .rsa3072, .rsa4096: .rsaWithSHA256
        case .ed25519: .named(DERWriter.sequence([DERWriter.objectIdentifier("1.3.101.112")]), .sha256)
        case .mlDSA65: .named(DERWriter.sequence([DERWriter.objectIdentifier("2.16.840.1.101.3.4.3.18")]), .sha256)
        case .mlDSA87: .named(DERWriter.sequence([DERWriter.objectIdentifier("2.16.840.1.101.3.4.3.19")]), .sha256)
        }
    }
}

/// Generates RSA keys, which takes a while, and caches named ones: a test suite needs few, and many times.
enum RSAKeys {
    private static let made = Mutex<[String: _RSA.Signing.PrivateKey]>([:])

    static func make(bits: Int) throws(SimulatorError) -> _RSA.Signing.PrivateKey {
        do { return try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)) } catch { throw .invalidKey }
    }

    /// The key with this name and size; generated at the first call.
    static func named(_ name: String, bits: Int) throws(SimulatorError) -> _RSA.Signing.PrivateKey {
        let name = "\(bits)\n\(name)"
        // Locked while the key is generated, so that simultaneous calls get the same one.
        return try made.withLock { made throws(SimulatorError) in
            if let key = made[name] { return key }
            let key = try make(bits: bits)
            made[name] = key
            return key
        }
    }
}
