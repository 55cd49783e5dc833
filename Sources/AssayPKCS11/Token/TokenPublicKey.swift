import Crypto

/// The curve of a key.
package enum TokenCurve: String, CaseIterable, Hashable, Sendable {
    /// NIST P-256 (secp256r1), used with SHA-256.
    case p256
    /// NIST P-384 (secp384r1), used with SHA-384.
    case p384

    /// The length of a coordinate, of r and of s, and of the digest, in bytes.
    package var length: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        }
    }

    /// CKA_EC_PARAMS: ECParameters as namedCurve, DER (RFC 5480 §2.1.1).
    var parameters: [UInt8] {
        switch self {
        case .p256: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
        }
    }
}

/// The public key of a key in a token: a point on P-256 or P-384.
package struct TokenPublicKey: Hashable, Sendable {
    package let curve: TokenCurve
    /// 04 ‖ X ‖ Y (X9.63), 65 or 97 bytes.
    package let x963: [UInt8]
    /// SubjectPublicKeyInfo (DER).
    package let der: [UInt8]

    /// `nil` unless the bytes are an uncompressed point on the curve.
    package init?(curve: TokenCurve, x963: [UInt8]) {
        guard x963.first == 0x04, x963.count == 1 + 2 * curve.length else { return nil }
        switch curve {
        case .p256:
            guard let key = try? P256.Signing.PublicKey(x963Representation: x963) else { return nil }
            der = Array(key.derRepresentation)
        case .p384:
            guard let key = try? P384.Signing.PublicKey(x963Representation: x963) else { return nil }
            der = Array(key.derRepresentation)
        }
        (self.curve, self.x963) = (curve, x963)
    }

    /// - Parameter der: SubjectPublicKeyInfo (DER), such as a CA certificate's; `nil` unless it is a P-256 or P-384 key in its one
    ///   encoding.
    package init?(der: [UInt8]) {
        if let key = try? P256.Signing.PublicKey(derRepresentation: der) {
            self.init(curve: .p256, x963: Array(key.x963Representation))
        } else if let key = try? P384.Signing.PublicKey(derRepresentation: der) {
            self.init(curve: .p384, x963: Array(key.x963Representation))
        } else {
            return nil
        }
        guard self.der == der else { return nil }
    }

    /// The DER form (ECDSA-Sig-Value, RFC 3279 §2.2.3) of a signature of this key; `nil` if it is another key's, or over another digest.
    ///
    /// - Parameter raw: r ‖ s, as CKM_ECDSA gives it.
    func signature(raw: [UInt8], of digest: some Digest) -> [UInt8]? {
        switch curve {
        case .p256:
            guard let key = try? P256.Signing.PublicKey(x963Representation: x963),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw),
                key.isValidSignature(signature, for: digest)
            else { return nil }
            return Array(signature.derRepresentation)
        case .p384:
            guard let key = try? P384.Signing.PublicKey(x963Representation: x963),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw),
                key.isValidSignature(signature, for: digest)
            else { return nil }
            return Array(signature.derRepresentation)
        }
    }
}
