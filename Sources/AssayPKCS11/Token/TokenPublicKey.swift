import Crypto

/// The curve of a key.
package enum TokenCurve: String, CaseIterable, Hashable, Sendable {
    /// NIST P-256 (secp256r1), used with SHA-256.
    case p256
    /// NIST P-384 (secp384r1), used with SHA-384.
    case p384
    /// Ed25519 (RFC 8032). Tokens have it since PKCS#11 3.0, and not all of them.
    case ed25519

    /// The length of a coordinate, and of each half of a signature, in bytes.
    package var length: Int {
        switch self {
        case .p256, .ed25519: 32
        case .p384: 48
        }
    }

    /// The length of a public key: 04 ‖ X ‖ Y (X9.63), or the encoded point of Ed25519 (RFC 8032 §5.1.2).
    package var pointLength: Int {
        switch self {
        case .p256, .p384: 1 + 2 * length
        case .ed25519: length
        }
    }

    /// CKA_EC_PARAMS as it is written: ECParameters as namedCurve, DER (RFC 5480 §2.1.1, RFC 8410 §3).
    var parameters: [UInt8] {
        switch self {
        case .p256: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
        case .ed25519: [0x06, 0x03, 0x2B, 0x65, 0x70]
        }
    }

    /// The curve that a token's CKA_EC_PARAMS names: by its identifier, or by its name, as PKCS#11 has it for Edwards curves.
    init?(parameters: [UInt8]) {
        if let named = Self.allCases.first(where: { $0.parameters == parameters }) {
            self = named
        } else if parameters == [0x13, 0x0C] + Array("edwards25519".utf8) {
            self = .ed25519
        } else {
            return nil
        }
    }

    /// As people write it: `P-256`.
    package var name: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .ed25519: "Ed25519"
        }
    }
}

/// The public key of a key in a token: a point on P-256, P-384 or the curve of Ed25519.
package struct TokenPublicKey: Hashable, Sendable {
    package let curve: TokenCurve
    /// 04 ‖ X ‖ Y (X9.63), 65 or 97 bytes, or the 32 bytes of Ed25519.
    package let point: [UInt8]
    /// SubjectPublicKeyInfo (DER).
    package let der: [UInt8]

    /// What stands before the point in a SubjectPublicKeyInfo of Ed25519 (RFC 8410 §4).
    private static let ed25519Prefix: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]

    /// `nil` unless the bytes are an uncompressed point on the curve, or a public key of Ed25519.
    package init?(curve: TokenCurve, point: [UInt8]) {
        guard point.count == curve.pointLength else { return nil }
        switch curve {
        case .p256:
            guard point.first == 0x04, let key = try? P256.Signing.PublicKey(x963Representation: point) else { return nil }
            der = Array(key.derRepresentation)
        case .p384:
            guard point.first == 0x04, let key = try? P384.Signing.PublicKey(x963Representation: point) else { return nil }
            der = Array(key.derRepresentation)
        case .ed25519:
            guard (try? Curve25519.Signing.PublicKey(rawRepresentation: point)) != nil else { return nil }
            der = Self.ed25519Prefix + point
        }
        (self.curve, self.point) = (curve, point)
    }

    /// - Parameter der: SubjectPublicKeyInfo (DER), such as a CA certificate's; `nil` unless it is a key of one of the curves in its one
    ///   encoding.
    package init?(der: [UInt8]) {
        if let key = try? P256.Signing.PublicKey(derRepresentation: der) {
            self.init(curve: .p256, point: Array(key.x963Representation))
        } else if let key = try? P384.Signing.PublicKey(derRepresentation: der) {
            self.init(curve: .p384, point: Array(key.x963Representation))
        } else if der.starts(with: Self.ed25519Prefix) {
            self.init(curve: .ed25519, point: Array(der.dropFirst(Self.ed25519Prefix.count)))
        } else {
            return nil
        }
        guard self.der == der else { return nil }
    }

    /// A signature of this key over a message, as `TokenKey.sign` gives it; `nil` if it is another key's, or over another message.
    ///
    /// - Parameter raw: r ‖ s, as CKM_ECDSA and CKM_EDDSA give it.
    func signature(raw: [UInt8], of message: SignedMessage) -> [UInt8]? {
        switch message {
        case .sha256(let digest):
            guard curve == .p256, let key = try? P256.Signing.PublicKey(x963Representation: point),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw),
                key.isValidSignature(signature, for: digest)
            else { return nil }
            return Array(signature.derRepresentation)
        case .sha384(let digest):
            guard curve == .p384, let key = try? P384.Signing.PublicKey(x963Representation: point),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw),
                key.isValidSignature(signature, for: digest)
            else { return nil }
            return Array(signature.derRepresentation)
        case .whole(let message):
            guard curve == .ed25519, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: point),
                key.isValidSignature(raw, for: message)
            else { return nil }
            return raw
        }
    }
}

/// What a token gets of a message to sign: its digest by the hash of the curve, or for Ed25519 all of it.
enum SignedMessage: Sendable {
    case sha256(SHA256.Digest)
    case sha384(SHA384.Digest)
    case whole([UInt8])

    init(_ message: [UInt8], for curve: TokenCurve) {
        switch curve {
        case .p256: self = .sha256(SHA256.hash(data: message))
        case .p384: self = .sha384(SHA384.hash(data: message))
        case .ed25519: self = .whole(message)
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .sha256(let digest): Array(digest)
        case .sha384(let digest): Array(digest)
        case .whole(let message): message
        }
    }
}
