import AssayCore
import AssayEncoding
import Crypto

/// A private key in memory.
package struct SigningKey: Sendable {
    enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
    }
    let key: Key

    /// A new random key.
    package static func random(_ algorithm: SigningAlgorithm) -> SigningKey {
        switch algorithm {
        case .p256: SigningKey(key: .p256(P256.Signing.PrivateKey()))
        case .ed25519: SigningKey(key: .ed25519(Curve25519.Signing.PrivateKey()))
        case .p384: SigningKey(key: .p384(P384.Signing.PrivateKey()))
        }
    }

    init(key: Key) { self.key = key }

    package var algorithm: SigningAlgorithm {
        switch key {
        case .p256: .p256
        case .ed25519: .ed25519
        case .p384: .p384
        }
    }

    /// SubjectPublicKeyInfo (DER).
    package var publicKey: [UInt8] {
        switch key {
        case .p256(let key): Array(key.publicKey.derRepresentation)
        case .ed25519(let key): Ed25519Encoding.subjectPublicKeyInfo(Array(key.publicKey.rawRepresentation))
        case .p384(let key): Array(key.publicKey.derRepresentation)
        }
    }

    /// - Returns: an ECDSA-Sig-Value (DER), or the 64 bytes of Ed25519.
    package func sign(_ bytes: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        do {
            switch key {
            case .p256(let key):
                return Self.der(try key.signature(for: SHA256.digest(of: bytes)).withUnsafeBytes { [UInt8]($0) })
            case .ed25519(let key): return Array(try key.signature(for: bytes))
            case .p384(let key): return Self.der(try key.signature(for: bytes).withUnsafeBytes { [UInt8]($0) })
            }
        } catch {
            throw .malformed("the key cannot sign")
        }
    }

    /// An ECDSA-Sig-Value (RFC 3279 §2.2.3) of r and s, each half of the bytes.
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        let half = raw.count / 2
        var buffer = DERBuffer(capacity: raw.count + 8)
        buffer.sequence {
            $0.integer(unsigned: raw[..<half])
            $0.integer(unsigned: raw[half...])
        }
        return buffer.octets
    }

    /// - Returns: the signature as JOSE and COSE have it, 64 or 96 bytes.
    package func signRaw(_ bytes: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        do {
            switch key {
            case .p256(let key): return Array(try key.signature(for: SHA256.digest(of: bytes)).rawRepresentation)
            case .ed25519(let key): return Array(try key.signature(for: bytes))
            case .p384(let key): return Array(try key.signature(for: bytes).rawRepresentation)
            }
        } catch {
            throw .malformed("the key cannot sign")
        }
    }

    /// PrivateKeyInfo (DER, RFC 5208 §5), with the ECPrivateKey of RFC 5915 or the CurvePrivateKey of RFC 8410 §7 in it.
    package var pkcs8: [UInt8] {
        switch key {
        case .p256(let key): Array(key.derRepresentation)
        case .ed25519(let key): Ed25519Encoding.privateKeyInfo(Array(key.rawRepresentation))
        case .p384(let key): Array(key.derRepresentation)
        }
    }
}

extension SigningKey {
    private static let ecPublicKey = OID(1, 2, 840, 10045, 2, 1)
    private static let curves: [OID: SigningAlgorithm] = [
        OID(1, 2, 840, 10045, 3, 1, 7): .p256, OID(1, 3, 132, 0, 34): .p384,
    ]

    /// Reads exactly one PrivateKeyInfo (RFC 5208 §5, RFC 5958 §2).
    package init(pkcs8 der: [UInt8]) throws(SigningKeyError) {
        self = try Self.read(der) { fields throws(Rejection) in
            let version = try fields.smallInteger()
            guard version <= 1 else { throw fields.rejection("version \(version)") }
            let kind = try fields.sequence { parts throws(Rejection) in try Self.kind(&parts) }
            let inner = try fields.octetString()
            switch kind {
            case .ed25519: return SigningKey(key: .ed25519(try Ed25519Encoding.privateKey(inner, beside: &fields)))
            case .p256, .p384:
                // Attributes and the public key of RFC 5958.
                while !fields.isAtEnd { _ = try fields.element() }
                return try DERReader.parse(inner, code: .unsupportedKey) { outer throws(Rejection) in
                    try outer.sequence { parts throws(Rejection) in try Self(from: &parts, algorithm: kind) }
                }
            }
        }
    }

    /// The privateKeyAlgorithm: the curve, or Ed25519, which has no parameters (RFC 8410 §3).
    private static func kind(_ parts: inout DERReader) throws(Rejection) -> SigningAlgorithm {
        let algorithm = try parts.objectIdentifier()
        if algorithm == Ed25519Encoding.identifier { return .ed25519 }
        guard algorithm == ecPublicKey, let curve = curves[try parts.objectIdentifier()] else {
            throw Rejection(.unsupportedAlgorithm, "")
        }
        return curve
    }

    /// Reads exactly one ECPrivateKey with the name of its curve (RFC 5915 §3), as `openssl ecparam -genkey` writes it.
    package init(sec1 der: [UInt8]) throws(SigningKeyError) {
        self = try Self.read(der) { parts throws(Rejection) in try Self(from: &parts, algorithm: nil) }
    }

    private static func read(
        _ der: [UInt8], _ body: (inout DERReader) throws(Rejection) -> SigningKey
    ) throws(SigningKeyError) -> SigningKey {
        do throws(Rejection) {
            return try DERReader.parse(der[...], code: .unsupportedKey) { outer throws(Rejection) in try outer.sequence(body) }
        } catch {
            throw error.code == .unsupportedAlgorithm ? .wrongKind(SigningAlgorithm.allCases) : .malformed(error.detail)
        }
    }

    /// The fields of an ECPrivateKey. Its curve and public key must agree with what is known of them.
    private init(from parts: inout DERReader, algorithm known: SigningAlgorithm?) throws(Rejection) {
        guard try parts.smallInteger() == 1 else { throw parts.rejection("an ECPrivateKey of another version than 1") }
        let scalar = try parts.octetString()
        var algorithm = known
        if let parameters = try parts.optional(.context(0)) {
            let curve = try DERReader.parse(parameters.content, code: .unsupportedKey) { reader throws(Rejection) in
                try reader.objectIdentifier()
            }
            guard let named = Self.curves[curve] else { throw Rejection(.unsupportedAlgorithm, "") }
            guard known == nil || known == named else { throw parts.rejection("two different curves") }
            algorithm = named
        }
        let point = try parts.optional(.context(1)).map { wrapper throws(Rejection) in
            try DERReader.parse(wrapper.content, code: .unsupportedKey) { reader throws(Rejection) in try reader.bitString() }
        }
        guard let algorithm else { throw parts.rejection("no curve is named") }
        let publicPoint: [UInt8]
        switch algorithm {
        case .p256:
            guard let made = try? P256.Signing.PrivateKey(rawRepresentation: scalar) else {
                throw parts.rejection("not a private key of P-256")
            }
            (key, publicPoint) = (.p256(made), Array(made.publicKey.x963Representation))
        case .p384:
            guard let made = try? P384.Signing.PrivateKey(rawRepresentation: scalar) else {
                throw parts.rejection("not a private key of P-384")
            }
            (key, publicPoint) = (.p384(made), Array(made.publicKey.x963Representation))
        case .ed25519: throw parts.rejection("an ECPrivateKey of Ed25519")
        }
        guard point.map({ $0.elementsEqual(publicPoint) }) ?? true else {
            throw parts.rejection("the public key beside the private key is another one")
        }
    }
}

/// Why a private key cannot be read. Nothing of the key or passphrase is in it.
package enum SigningKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A key of none of these kinds.
    case wrongKind([SigningAlgorithm])
    case notEncrypted
    case encrypted
    case wrongPassphrase
    /// The encryption is not supported. A sentence names it.
    case unsupportedEncryption(String)
    case malformed(String)

    /// To stand behind the path of the key's file.
    package var description: String {
        switch self {
        case .wrongKind(let wanted): "is not a key of \(SigningAlgorithm.list(wanted))"
        case .notEncrypted: "is not encrypted; 'openssl pkcs8 -topk8 -v2 aes-256-cbc' encrypts it"
        case .encrypted: "is encrypted, and no file with its passphrase is given"
        case .wrongPassphrase: "cannot be decrypted: the passphrase is wrong, or the file is damaged"
        case .unsupportedEncryption(let what): "cannot be decrypted: \(what)"
        case .malformed(let what): "cannot be read: \(what)"
        }
    }
}
