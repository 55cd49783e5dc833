package import AssayCertificates
import AssayCore

/// The kinds of keys that a device may attest, by the certificate's public key and by the tags that describe such a key.
package enum KeyKind: String, CaseIterable, Hashable, Sendable {
    case rsa
    case p224 = "ec_p224"
    case p256 = "ec_p256"
    case p384 = "ec_p384"
    case p521 = "ec_p521"
    case ed25519
    case x25519
    case mlDSA65 = "ml_dsa_65"
    case mlDSA87 = "ml_dsa_87"

    /// `nil` for kinds that no version of the schema has.
    package init?(_ key: SubjectPublicKeyInfo) {
        switch key.algorithm {
        case .rsa: self = .rsa
        case .p224: self = .p224
        case .p256: self = .p256
        case .p384: self = .p384
        case .p521: self = .p521
        case .ed25519: self = .ed25519
        case .x25519: self = .x25519
        case .mlDSA65: self = .mlDSA65
        case .mlDSA87: self = .mlDSA87
        case .unsupported: return nil
        }
    }

    /// The value of the tag `algorithm`: 1 RSA, 3 EC, 4 ML-DSA.
    var algorithm: UInt64 {
        switch self {
        case .rsa: 1
        case .p224, .p256, .p384, .p521, .ed25519, .x25519: 3
        case .mlDSA65, .mlDSA87: 4
        }
    }

    /// The value of the tag `ecCurve`; `nil` where there is no curve.
    var curve: UInt64? {
        switch self {
        case .p224: 0
        case .p256: 1
        case .p384: 2
        case .p521: 3
        case .ed25519, .x25519: 4
        case .rsa, .mlDSA65, .mlDSA87: nil
        }
    }

    /// The value of the tag `mlDSAVariant`.
    var variant: UInt64? {
        switch self {
        case .mlDSA65: 1
        case .mlDSA87: 2
        default: nil
        }
    }

    /// The value of the tag `keySize`; `nil` if the kind leaves it open or has none.
    var size: UInt64? {
        switch self {
        case .p224: 224
        case .p256: 256
        case .p384: 384
        case .p521: 521
        case .ed25519, .x25519: 256
        case .rsa, .mlDSA65, .mlDSA87: nil
        }
    }
}

extension KeyKind {
    /// Describes what contradicts the certified key in a description; `nil` if nothing does. The algorithm must be stated; the
    /// other tags are compared if they are stated.
    func contradiction(of stated: AuthorizationList, with key: SubjectPublicKeyInfo) -> String? {
        guard stated.number(.algorithm) == algorithm else { return "the description names another algorithm" }
        if stated.has(.ecCurve), stated.number(.ecCurve) != curve { return "the description names another curve" }
        if stated.has(.mlDSAVariant), stated.number(.mlDSAVariant) != variant {
            return "the description names another variant of ML-DSA"
        }
        guard stated.has(.keySize) else { return nil }
        let size = self == .rsa ? (try? RSAPublicKey(key)).map { UInt64($0.bits) } : self.size
        return size == nil || stated.number(.keySize) == size ? nil : "the description names another size of key"
    }
}
