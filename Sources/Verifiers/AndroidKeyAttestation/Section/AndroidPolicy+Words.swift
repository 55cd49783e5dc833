// The words of the configuration for values of the policy.

extension SecurityLevel {
    static let byName: KeyValuePairs<String, SecurityLevel> = [
        "software": .software, "tee": .trustedEnvironment, "strongbox": .strongBox,
    ]
}

extension PublicTestKey {
    static let byName: KeyValuePairs<String, PublicTestKey> = [
        "testkey_rsa2048": .rsa2048, "testkey_rsa4096": .rsa4096, "testkey_rsa8192": .rsa8192,
    ]
}

extension KeyOrigin {
    static let byName: KeyValuePairs<String, KeyOrigin> = [
        "generated": .generated, "derived": .derived, "imported": .imported, "securely_imported": .securelyImported,
    ]
}

extension KeyPurpose {
    static let byName: KeyValuePairs<String, KeyPurpose> = [
        "encrypt": .encrypt, "decrypt": .decrypt, "sign": .sign, "verify": .verify, "wrap_key": .wrapKey,
        "agree_key": .agreeKey, "attest_key": .attestKey,
    ]
}

extension KeyKind {
    static let byName: KeyValuePairs<String, KeyKind> = [
        "rsa": .rsa, "ec_p224": .p224, "ec_p256": .p256, "ec_p384": .p384, "ec_p521": .p521, "ed25519": .ed25519,
        "x25519": .x25519, "ml_dsa_65": .mlDSA65, "ml_dsa_87": .mlDSA87,
    ]
}

extension KeyRule.Property {
    static let byName: KeyValuePairs<String, KeyRule.Property> = [
        "rollback_resistance": .rollbackResistance, "unlocked_device": .unlockedDevice, "user_presence": .userPresence,
        "user_confirmation": .userConfirmation,
    ]
}

extension AuthenticationRule.Method {
    static let byName: KeyValuePairs<String, AuthenticationRule.Method> = ["password": .password, "biometric": .biometric]
}

extension AuthorizationTag {
    /// Identifiers of the device.
    static let deviceIDs: [AuthorizationTag] = [
        .brand, .device, .product, .serial, .imei, .secondIMEI, .meid, .manufacturer, .model,
    ]
}
