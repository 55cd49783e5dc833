import AssayCore
import AssaySchemes

// The rules of the section `android`, from its keys.

extension AndroidApp {
    init?(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let name = section.required("name")?.packageName()
        let signers = section.required("signers")?.filledList(
            orReport: "want at least one signer: the SHA-256 of a certificate")?.compactMap { $0.digest() }
        let minimumVersion = section.optional("min_version")?.integer(
            in: 0...Int.max, as: "a version code, which is a whole number,"
        ).map { Int64($0) }
        section.done()
        guard let name, let signers, !signers.isEmpty else { return nil }
        self.init(packageName: name, signers: Set(signers), minimumVersion: minimumVersion)
    }
}

extension BootRule {
    init(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let testKeys = Set(section.optional("allow_test_keys")?.list()?.compactMap { $0.choice(PublicTestKey.byName) } ?? [])
        var ownKeys: [[UInt8]] = []
        let deniedKeys = section.optional("denied_keys")?.list()?.compactMap { $0.digest() } ?? []
        for item in section.optional("self_signed_keys")?.list() ?? [] {
            guard let key = item.bootKey(allowing: testKeys) else { continue }
            if deniedKeys.contains(key) { item.report("the key stands in \"denied_keys\" too, and is refused") }
            ownKeys.append(key)
        }
        for key in PublicTestKey.allCases where testKeys.contains(key) && deniedKeys.contains(key.digest) {
            section.optional("allow_test_keys")?.report("\(key.rawValue) stands in \"denied_keys\" too, and is refused")
        }
        let allowsUnlocked = section.optional("allow_unlocked")?.boolean() ?? false
        section.done()
        self.init(
            requiresLocked: !allowsUnlocked, selfSignedKeys: Set(ownKeys), deniedKeys: Set(deniedKeys),
            allowedTestKeys: testKeys)
        if !ownKeys.isEmpty { states.insert(.selfSigned) }
        if allowsUnlocked { states.insert(.unverified) }
    }
}

extension DenyList {
    init(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let serials = section.optional("serials")?.list()?.compactMap { $0.serialNumber() } ?? []
        let publicKeys = section.optional("public_keys")?.list()?.compactMap { $0.digest() } ?? []
        section.done()
        self.init(serials: Set(serials), publicKeys: Set(publicKeys))
    }
}

extension OfflineRule {
    /// The widest age of a capture and the widest difference of clocks, in milliseconds.
    private static let widest: (age: Int64, future: Int64) = (366 * 86_400_000, 86_400_000)

    init?(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let age = section.required("max_age")?.milliseconds(in: 1000...Self.widest.age)
        let future = section.optional("max_future")?.milliseconds(in: 0...Self.widest.future)
        section.done()
        guard let age else { return nil }
        self.init(maxAge: age, maxFuture: future ?? Self.usualFuture)
    }
}

extension PatchLevelRules {
    init(reading value: ConfigurationReader.Value) {
        let section = value.section()
        self.init(
            os: section.optional("os")?.oldestPatchLevel(), vendor: section.optional("vendor")?.oldestPatchLevel(),
            boot: section.optional("boot")?.oldestPatchLevel(),
            refusesUnreadable: section.optional("refuse_unreadable")?.boolean() ?? false,
            monthsAhead: section.optional("months_ahead")?.integer(in: 0...120))
        section.done()
        if refusesUnreadable, section.optional("vendor") == nil, section.optional("boot") == nil {
            section.optional("refuse_unreadable")?.report("it says nothing without \"vendor\" or \"boot\"")
        }
    }
}

extension KeyRule {
    init(reading value: ConfigurationReader.Value) {
        let section = value.section()
        self.init()
        if let list = section.optional("origins")?.filledList() {
            origins = Set(list.compactMap { $0.choice(KeyOrigin.byName) })
        }
        if let list = section.optional("purposes")?.list() {
            requiredPurposes = Set(list.compactMap { $0.choice(KeyPurpose.byName) })
        }
        if let list = section.optional("forbidden_purposes")?.list() {
            forbiddenPurposes = Set(list.compactMap { $0.choice(KeyPurpose.byName) })
        }
        kinds = section.optional("kinds")?.filledList().map { Set($0.compactMap { $0.choice(KeyKind.byName) }) }
        properties = Set(section.optional("properties")?.list()?.compactMap { $0.choice(Property.byName) } ?? [])
        authentication = section.optional("user_authentication").map(AuthenticationRule.init(reading:))
        section.done()
        if !requiredPurposes.isDisjoint(with: forbiddenPurposes) { value.report("a purpose is both demanded and forbidden") }
        if kinds?.isEmpty != true, !(kinds ?? Set(KeyKind.allCases)).contains(where: { $0.canHave(requiredPurposes) }) {
            let purposes = requiredPurposes.map(\.name).sorted().joined(separator: ", ")
            value.report(
                (kinds.map { "no key of the kinds \($0.map(\.rawValue).sorted().joined(separator: ", "))" } ?? "no key")
                    + " can have the purposes that are demanded: \(purposes)")
        }
    }
}

extension AuthenticationRule {
    init(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let methods = section.optional("methods")?.filledList()?.compactMap { $0.choice(Method.byName) }
        let timeout = section.optional("max_timeout")
        let longest = timeout?.milliseconds(in: 0...366 * 86_400_000)
        if let longest, longest % 1000 != 0 { timeout?.report("want whole seconds, as devices state it") }
        section.done()
        self.init(methods: methods.map { Set($0) } ?? Set(Method.allCases), longest: longest.map { UInt64($0 / 1000) })
    }
}

extension RemoteKeyProvisioningRule {
    init(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let perDay: ClosedRange<Int> = 1...AttestationKeyUse.limit
        self.init(
            requiresRemote: section.optional("require_remote")?.boolean() ?? false,
            certificateLimit: section.optional("max_certificates")?.integer(in: 1...1_000_000).map { UInt64($0) },
            remoteKeyPerDay: section.optional("remote_key_per_day")?.integer(in: perDay) ?? Self.usualRemotePerDay,
            factoryKeyPerDay: section.optional("factory_key_per_day")?.integer(in: perDay) ?? Self.usualFactoryPerDay,
            refusesOveruse: section.optional("overuse")?.choice(["report": false, "reject": true]) ?? false)
        section.done()
        if requiresRemote {
            section.optional("factory_key_per_day")?.report(
                "it says nothing where keys from the factory are refused (require_remote)")
        }
    }
}

extension ConfigurationReader.Value {
    /// The digest of a boot key; a test key must be allowed by its name too.
    fileprivate func bootKey(allowing testKeys: Set<PublicTestKey>) -> [UInt8]? {
        guard let digest = digest() else { return nil }
        if let key = PublicTestKey(digest: digest), !testKeys.contains(key) {
            report(
                "that is \(key.rawValue), whose private key is public; for development name it in \"allow_test_keys\" too")
            return nil
        }
        return digest
    }

    /// A certificate's serial number in hexadecimal, as Google's list and `openssl x509 -serial` write it, or with colons.
    fileprivate func serialNumber() -> [UInt8]? {
        guard let text = text() else { return nil }
        guard let serial = SerialNumber.magnitude(hexadecimal: text.filter { $0 != ":" }), !serial.isEmpty else {
            report("want a serial number in hexadecimal, of at most 64 digits, have \"\(text.prefix(80))\"")
            return nil
        }
        guard serial != [1] else {
            report("the number 1 is that of nearly every attested key, and denies all of them")
            return nil
        }
        return serial
    }

    /// The patch level that a date or a number of years stands for, as the end of a sentence; empty for any other text.
    private static func meantPatchLevel(_ text: String) -> String {
        if let date = text.wholeMatch(of: /(20\d\d)-(0[1-9]|1[0-2])(?:-\d\d)?/) { return "; did you mean \(date.1)\(date.2)?" }
        if let years = text.wholeMatch(of: /(\d{1,2}) ?(?:y|years?)/).flatMap({ Int($0.1) }), (1...10).contains(years) {
            return "; did you mean \(years * 12)months?"
        }
        return ""
    }

    /// A month such as 202503, or an age such as 12months.
    fileprivate func oldestPatchLevel() -> PatchLevelRules.Oldest? {
        guard let text = text() else { return nil }
        if text.hasSuffix("months"), let months = Int(text.dropLast("months".count)), (0...120).contains(months) {
            return .months(months)
        }
        if text.utf8.count == 6, let level = UInt64(text).flatMap(PatchLevel.init) { return .level(level) }
        report(
            "want a month such as 202503, or an age such as 12months, up to 120months, have \"\(text.prefix(20))\""
                + Self.meantPatchLevel(text))
        return nil
    }
}

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
