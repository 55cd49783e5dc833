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

extension KeyKind {
    /// What keys of the kind can be for (KeyMint, `KeyPurpose.aidl` and `EcCurve.aidl`). Of the two kinds of Curve25519 one signs and
    /// the other agrees on keys.
    package var possiblePurposes: Set<KeyPurpose> {
        switch self {
        case .rsa: [.encrypt, .decrypt, .sign, .verify, .wrapKey, .attestKey]
        case .p224, .p256, .p384, .p521: [.sign, .verify, .agreeKey, .attestKey]
        case .ed25519, .mlDSA65, .mlDSA87: [.sign, .verify, .attestKey]
        case .x25519: [.agreeKey]
        }
    }

    /// Whether one key of the kind can have all of these. A key that attests others is for nothing else.
    package func canHave(_ purposes: Set<KeyPurpose>) -> Bool {
        purposes.isSubset(of: possiblePurposes) && (!purposes.contains(.attestKey) || purposes.count == 1)
    }
}

/// The allowed uses of a key (tag `purpose`). 4 was never assigned.
package enum KeyPurpose: UInt64, CaseIterable, Hashable, Sendable {
    case encrypt = 0
    case decrypt = 1
    case sign = 2
    case verify = 3
    case wrapKey = 5
    case agreeKey = 6
    case attestKey = 7

    /// The name in the configuration.
    package var name: String {
        switch self {
        case .encrypt: "encrypt"
        case .decrypt: "decrypt"
        case .sign: "sign"
        case .verify: "verify"
        case .wrapKey: "wrap_key"
        case .agreeKey: "agree_key"
        case .attestKey: "attest_key"
        }
    }

    /// Purposes by their numbers, for a sentence.
    static func text(_ numbers: Set<UInt64>) -> String {
        guard !numbers.isEmpty else { return "none" }
        return numbers.sorted().prefix(8).map { KeyPurpose(rawValue: $0)?.name ?? "\($0)" }.joined(separator: ", ")
    }
}

/// The origin of a key (tag `origin`).
package enum KeyOrigin: UInt64, CaseIterable, Hashable, Sendable {
    case generated = 0
    case derived = 1
    case imported = 2
    case unknown = 3
    /// Imported without passing through Android.
    case securelyImported = 4

    /// The name in claims.
    package var name: String {
        switch self {
        case .generated: "GENERATED"
        case .derived: "DERIVED"
        case .imported: "IMPORTED"
        case .unknown: "UNKNOWN"
        case .securelyImported: "SECURELY_IMPORTED"
        }
    }

    package init?(name: String) {
        guard let origin = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = origin
    }
}
