import AssayEncoding
import Crypto
import CryptoExtras

/// A private key of any kind that an Android device attests or a CA above it has: random or derived from a seed. Only for
/// tests.
public struct TestKey: Sendable {
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case p256
        case p384
        /// Too weak to be trusted anywhere.
        case rsa1024 = "rsa-1024"
        case rsa2048 = "rsa-2048"
        case rsa3072 = "rsa-3072"
        case rsa4096 = "rsa-4096"
        case ed25519
        case mlDSA65 = "ml-dsa-65"
        case mlDSA87 = "ml-dsa-87"
    }

    enum Key: Sendable {
        case curve(TestSigningKey)
        case rsa(_RSA.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case mlDSA65(MLDSA65.PrivateKey)
        case mlDSA87(MLDSA87.PrivateKey)
    }

    public let kind: Kind
    let key: Key

    private init(_ kind: Kind, _ key: Key) { (self.kind, self.key) = (kind, key) }

    public init(_ key: TestSigningKey) { self.init(key.curve == .p256 ? .p256 : .p384, .curve(key)) }

    /// A random key. An RSA key takes a while.
    public init(_ kind: Kind) throws(SimulatorError) {
        switch kind {
        case .p256: self.init(TestSigningKey(.p256))
        case .p384: self.init(TestSigningKey(.p384))
        case .rsa1024, .rsa2048, .rsa3072, .rsa4096: self.init(kind, .rsa(try RSAKeys.make(bits: kind.rsaBits)))
        case .ed25519: self.init(kind, .ed25519(Curve25519.Signing.PrivateKey()))
        case .mlDSA65: self.init(kind, .mlDSA65(try Self.library { try MLDSA65.PrivateKey() }))
        case .mlDSA87: self.init(kind, .mlDSA87(try Self.library { try MLDSA87.PrivateKey() }))
        }
    }

    /// The key of a seed and a label: the same on every machine and in every version, except for RSA, whose keys are random and
    /// stay the same only within one process.
    public init(_ kind: Kind, seed: String, label: String) throws(SimulatorError) {
        switch kind {
        case .p256: self.init(TestSigningKey(.p256, seed: seed, label: label))
        case .p384: self.init(TestSigningKey(.p384, seed: seed, label: label))
        case .rsa1024, .rsa2048, .rsa3072, .rsa4096:
            self.init(kind, .rsa(try RSAKeys.named("\(label)\n\(seed)", bits: kind.rsaBits)))
        case .ed25519, .mlDSA65, .mlDSA87:
            let input = "assay.simulator.key.v1\n\(kind.rawValue)\n\(label)\n\(seed)"
            try self.init(kind, privateBytes: Array(SHA256.hash(data: Array(input.utf8))))
        }
    }

    /// The key with these `privateBytes`.
    public init(_ kind: Kind, privateBytes bytes: [UInt8]) throws(SimulatorError) {
        switch kind {
        case .p256: self.init(try TestSigningKey(.p256, scalar: bytes))
        case .p384: self.init(try TestSigningKey(.p384, scalar: bytes))
        case .rsa1024, .rsa2048, .rsa3072, .rsa4096:
            let key = try Self.library { try _RSA.Signing.PrivateKey(unsafeDERRepresentation: bytes) }
            guard key.keySizeInBits == kind.rsaBits else { throw .invalidKey }
            self.init(kind, .rsa(key))
        case .ed25519:
            self.init(kind, .ed25519(try Self.library { try Curve25519.Signing.PrivateKey(rawRepresentation: bytes) }))
        case .mlDSA65:
            self.init(
                kind, .mlDSA65(try Self.library { try MLDSA65.PrivateKey(seedRepresentation: bytes, publicKey: nil) }))
        case .mlDSA87:
            self.init(
                kind, .mlDSA87(try Self.library { try MLDSA87.PrivateKey(seedRepresentation: bytes, publicKey: nil) }))
        }
    }

    /// The private key, for saving a test key to a file: a scalar, the DER of an RSA key, or a seed.
    public var privateBytes: [UInt8] {
        switch key {
        case .curve(let key): key.scalar
        case .rsa(let key): Array(key.derRepresentation)
        case .ed25519(let key): Array(key.rawRepresentation)
        case .mlDSA65(let key): Array(key.seedRepresentation)
        case .mlDSA87(let key): Array(key.seedRepresentation)
        }
    }

    private static func library<T>(_ make: () throws -> T) throws(SimulatorError) -> T {
        do { return try make() } catch { throw .invalidKey }
    }
}

extension TestKey.Kind {
    var rsaBits: Int {
        switch self {
        case .rsa1024: 1024
        case .rsa3072: 3072
        case .rsa4096: 4096
        default: 2048
        }
    }
}

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
