import AssayEncoding
import Crypto

/// A private key for tests: P-256 or P-384, random or derived from a seed. Only for tests.
public struct TestSigningKey: Sendable {
    public enum Curve: String, CaseIterable, Hashable, Sendable {
        case p256
        case p384
    }

    /// The hash of a signature. Any curve can be combined with any hash: Apple signs leaves with a P-384 key over SHA-256.
    public enum Hash: Hashable, Sendable {
        case sha256
        case sha384
    }

    private enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
    }

    private let key: Key

    /// A random key.
    public init(_ curve: Curve) {
        switch curve {
        case .p256: key = .p256(P256.Signing.PrivateKey())
        case .p384: key = .p384(P384.Signing.PrivateKey())
        }
    }

    /// The scalar, big-endian: 32 bytes for P-256, 48 for P-384.
    public init(_ curve: Curve, scalar: [UInt8]) throws(SimulatorError) {
        do {
            switch curve {
            case .p256: key = .p256(try P256.Signing.PrivateKey(rawRepresentation: scalar))
            case .p384: key = .p384(try P384.Signing.PrivateKey(rawRepresentation: scalar))
            }
        } catch {
            throw .invalidKey
        }
    }

    /// The key of a seed and a label: the same on every machine and in every version. The scalar is SHA-384 over tag, curve,
    /// label, seed and a round, cut to the curve's width; rounds continue until it is valid for the curve.
    public init(_ curve: Curve, seed: String, label: String) {
        var round = 0
        while true {
            let input = "assay.simulator.key.v1\n\(curve.rawValue)\n\(label)\n\(seed)\n\(round)"
            let digest = Array(SHA384.hash(data: Array(input.utf8)))
            if let key = try? TestSigningKey(curve, scalar: Array(digest.prefix(curve == .p256 ? 32 : 48))) {
                self = key
                return
            }
            round += 1
        }
    }

    public var curve: Curve {
        switch key {
        case .p256: .p256
        case .p384: .p384
        }
    }

    /// The private scalar, for saving a test key to a file.
    public var scalar: [UInt8] {
        switch key {
        case .p256(let key): Array(key.rawRepresentation)
        case .p384(let key): Array(key.rawRepresentation)
        }
    }

    /// The private key in PEM (PKCS #8), for servers.
    public var pem: String {
        switch key {
        case .p256(let key): key.pemRepresentation + "\n"
        case .p384(let key): key.pemRepresentation + "\n"
        }
    }

    /// The public key as an uncompressed X9.63 point: 65 or 97 bytes.
    public var publicPoint: [UInt8] {
        switch key {
        case .p256(let key): Array(key.publicKey.x963Representation)
        case .p384(let key): Array(key.publicKey.x963Representation)
        }
    }

    /// The public key as a compressed point: 33 or 49 bytes.
    public var compressedPoint: [UInt8] {
        switch key {
        case .p256(let key): Array(key.publicKey.compressedRepresentation)
        case .p384(let key): Array(key.publicKey.compressedRepresentation)
        }
    }

    /// DER SubjectPublicKeyInfo with the uncompressed point.
    public var subjectPublicKeyInfo: [UInt8] { Self.subjectPublicKeyInfo(curve, point: publicPoint) }

    /// DER SubjectPublicKeyInfo with any point: compressed, of another curve, or none.
    public static func subjectPublicKeyInfo(_ curve: Curve, point: [UInt8]) -> [UInt8] {
        let name = curve == .p256 ? "1.2.840.10045.3.1.7" : "1.3.132.0.34"
        return DERWriter.sequence([
            DERWriter.sequence([
                DERWriter.objectIdentifier("1.2.840.10045.2.1"), DERWriter.objectIdentifier(name),
            ]),
            DERWriter.bitString(point),
        ])
    }

    /// Signs a message. Signatures are randomised: two over the same message differ.
    public func sign(_ message: [UInt8], hash: Hash) throws(SimulatorError) -> SignatureDraft {
        switch hash {
        case .sha256: try sign(digest: SHA256.hash(data: message))
        case .sha384: try sign(digest: SHA384.hash(data: message))
        }
    }

    /// Signs a digest without hashing it again.
    func sign(digest: some Digest) throws(SimulatorError) -> SignatureDraft {
        do {
            switch key {
            case .p256(let key): return SignatureDraft(fixedWidth: Array(try key.signature(for: digest).rawRepresentation))
            case .p384(let key): return SignatureDraft(fixedWidth: Array(try key.signature(for: digest).rawRepresentation))
            }
        } catch {
            throw .signing("\(error)")
        }
    }
}
