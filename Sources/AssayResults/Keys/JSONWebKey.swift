import AssayCore
package import AssaySigning
import Crypto

/// A public key as a JWK (RFC 7517): the members that RFC 7638 §3.2 requires of its kind and no others, so never a private one.
package struct JSONWebKey: Hashable, Sendable {
    /// The kinds of keys that are written and read.
    package enum Curve: CaseIterable, Hashable, Sendable {
        case p256
        case p384
        case ed25519

        /// `kty` (RFC 7518 §6.1, RFC 8037 §2).
        package var type: String {
            switch self {
            case .p256, .p384: "EC"
            case .ed25519: "OKP"
            }
        }

        /// `crv` (RFC 7518 §6.2.1.1, RFC 8037 §3.1).
        package var name: String {
            switch self {
            case .p256: "P-256"
            case .p384: "P-384"
            case .ed25519: "Ed25519"
            }
        }

        /// `alg` of signatures by such a key.
        package var algorithm: String { signing.joseName }

        package var signing: SigningAlgorithm {
            switch self {
            case .p256: .p256
            case .p384: .p384
            case .ed25519: .ed25519
            }
        }

        /// Octets of a coordinate; of Ed25519 those of the key.
        package var width: Int {
            switch self {
            case .p256, .ed25519: 32
            case .p384: 48
            }
        }

        /// What stands in a SubjectPublicKeyInfo (DER) before the coordinates: the AlgorithmIdentifier, the heads of the elements, and the
        /// octet 4 of an uncompressed point (RFC 5480 §2, RFC 8410 §4).
        fileprivate var prefix: [UInt8] {
            switch self {
            case .p256: Self.prefixOfP256
            case .p384: Self.prefixOfP384
            case .ed25519: Self.prefixOfEd25519
            }
        }

        private static let prefixOfP256: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
            0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        private static let prefixOfP384: [UInt8] = [
            0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
            0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00, 0x04,
        ]
        private static let prefixOfEd25519: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
    }

    package let curve: Curve
    /// X and Y, each as wide as the curve's coordinates, leading zeros kept; of Ed25519 the key's 32 octets.
    package let coordinates: [UInt8]

    /// The key of a SubjectPublicKeyInfo (DER). `nil` for other kinds of keys, compressed points, and bytes that are none. Whether the point
    /// is on the curve is seen where a signature is verified with it.
    package init?(subjectPublicKeyInfo der: [UInt8]) {
        for curve in Curve.allCases where der.starts(with: curve.prefix) {
            self.init(curve, coordinates: Array(der.dropFirst(curve.prefix.count)))
            return
        }
        return nil
    }

    /// The key of a device, as its registration has it: a SubjectPublicKeyInfo, or an uncompressed point of P-256 (`Registration.publicKey`).
    /// `nil` as above.
    package init?(registered key: [UInt8]) {
        if key.count == 65, key.first == 4 {
            self.init(.p256, coordinates: Array(key.dropFirst()))
        } else {
            self.init(subjectPublicKeyInfo: key)
        }
    }

    /// - Returns: `nil` unless the coordinates have their curve's length.
    package init?(_ curve: Curve, coordinates: [UInt8]) {
        guard coordinates.count == (curve == .ed25519 ? 1 : 2) * curve.width else { return nil }
        (self.curve, self.coordinates) = (curve, coordinates)
    }

    /// SubjectPublicKeyInfo (DER).
    package var subjectPublicKeyInfo: [UInt8] { curve.prefix + coordinates }

    /// `x` and `y`; of Ed25519 `x` alone.
    package var members: [(name: String, value: [UInt8])] {
        switch curve {
        case .p256, .p384: [("x", Array(coordinates.prefix(curve.width))), ("y", Array(coordinates.suffix(curve.width)))]
        case .ed25519: [("x", coordinates)]
        }
    }

    /// The key as JSON: the required members in the order of their names, without white space (RFC 7638 §3.3).
    package var text: [UInt8] {
        var text = Array("{\"crv\":\"\(curve.name)\",\"kty\":\"\(curve.type)\"".utf8)
        for member in members { text += ",\"\(member.name)\":\"\(Base64.url.encode(member.value))\"".utf8 }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// SHA-256 of `text` (RFC 7638 §3), 32 bytes. As base64url it is the key's `kid`, and `jkt` where a token is bound to it (RFC 9449 §6.1).
    package var thumbprint: [UInt8] { SHA256.bytes(of: text) }
}
