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
