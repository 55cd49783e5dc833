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
