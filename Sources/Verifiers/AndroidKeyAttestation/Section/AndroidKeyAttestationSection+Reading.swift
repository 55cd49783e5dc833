import AndroidKeyAttestation
import AssayCertificates
import AssayCore
import AssaySchemes
import AssayVendors

extension Configuration.App.Android {
    /// A device's clock may be this far off, and still be looked at.
    private static let widestCreationWindow: Int64 = 30 * 86_400_000

    init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let packages = section.required("packages")?.list()
        let apps = packages?.compactMap(AndroidApp.init(reading:)) ?? []
        var policy = AndroidPolicy(apps: apps)
        if let level = section.optional("security_level")?.choice(SecurityLevel.byName) { policy.minimumLevel = level }
        policy.boot = section.optional("verified_boot").map(BootRule.init(reading:)) ?? BootRule()
        policy.minimumOSVersion = section.optional("min_os_version")?.integer(in: 10_000...99_999_999).map { UInt64($0) }
        if let value = section.optional("patch_levels") { policy.patchLevels = PatchLevelRules(reading: value) }
        if let value = section.optional("key") { policy.key = KeyRule(reading: value) }
        section.renamed("provisioning", to: "remote_key_provisioning")
        if let value = section.optional("remote_key_provisioning") {
            policy.provisioning = RemoteKeyProvisioningRule(reading: value)
        }
        if let value = section.optional("attested_ids") { policy.attestedIDs = Self.attestedIDs(value) }
        policy.creationWindow = section.optional("creation_window")?.milliseconds(in: 1000...Self.widestCreationWindow)
        policy.requiresTagOrder = section.optional("require_tag_order")?.boolean() ?? false
        policy.allowsSuspended = section.optional("allow_suspended")?.boolean() ?? false
        if let value = section.optional("denied") { policy.denied = DenyList(reading: value) }
        let extraRoots = section.optional("extra_roots")?.list()?.compactMap { item -> TrustAnchor? in
            let anchor = files.anchor(item, simulated: false)
            if let anchor, policy.denied.publicKeys.contains(anchor.publicKeySHA256) {
                item.report("the root's key stands in \"denied.public_keys\" too")
            }
            return anchor
        }
        let trustsSoftwareRoots = section.optional("trust_software_roots")?.boolean() ?? false
        let revocation = section.optional("revocation").flatMap { AndroidRevocation(reading: $0, files) }
        let requiresPlayIntegrity = section.optional("require_play_integrity")?.boolean() ?? false
        section.done()
        if trustsSoftwareRoots, policy.minimumLevel > .software {
            section.optional("trust_software_roots")?.report(
                "it needs \"security_level: software\": what these roots vouch for is never more than software")
        }
        if policy.allowsSuspended, case .some(.none) = revocation {
            section.optional("allow_suspended")?.report(
                "it says nothing where no list is consulted (revocation: {source: none})")
        }
        if packages?.isEmpty == true {
            value.report("want at least one package: an app is known by its packages and who signs them")
        }
        guard !apps.isEmpty else { return nil }
        self.init(policy: policy, extraRoots: extraRoots ?? [], trustsSoftwareRoots: trustsSoftwareRoots)
        self.revocation = revocation ?? .google
        self.requiresPlayIntegrity = requiresPlayIntegrity
    }

    private static func attestedIDs(_ value: ConfigurationReader.Value) -> [AuthorizationTag: Set<OpaqueText>] {
        let section = value.section()
        var expected: [AuthorizationTag: Set<OpaqueText>] = [:]
        for tag in AuthorizationTag.deviceIDs {
            guard let texts = section.optional(tag.name)?.filledList()?.compactMap({ $0.filledText() }) else { continue }
            expected[tag] = Set(texts.map { OpaqueText($0) })
        }
        section.done()
        if value.names.isEmpty {
            value.report("want at least one of \(AuthorizationTag.deviceIDs.map(\.name).joined(separator: ", "))")
        }
        return expected
    }
}

extension AndroidApp {
    init?(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let name = section.required("name")?.packageName()
        let signers = section.required("signers")?.filledList()?.compactMap { $0.digest() }
        let minimumVersion = section.optional("min_version")?.integer(in: 0...Int.max).map { Int64($0) }
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
            report("want a serial number in hexadecimal, of at most 64 digits")
            return nil
        }
        guard serial != [1] else {
            report("the number 1 is that of nearly every attested key, and denies all of them")
            return nil
        }
        return serial
    }

    /// A month such as 202503, or an age such as 12months.
    fileprivate func oldestPatchLevel() -> PatchLevelRules.Oldest? {
        guard let text = text() else { return nil }
        if text.hasSuffix("months"), let months = Int(text.dropLast("months".count)), (0...120).contains(months) {
            return .months(months)
        }
        if text.utf8.count == 6, let level = UInt64(text).flatMap(PatchLevel.init) { return .level(level) }
        report("want a month such as 202503, or an age such as 12months, up to 120months")
        return nil
    }
}

extension AndroidRevocation {
    init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let source = section.required("source")?.choice(["google": "google", "file": "file", "none": "none"])
        let file = section.optional("file")
        let age = section.optional("max_age")
        let maxAge = age?.milliseconds(in: 3_600_000...366 * 86_400_000)
        section.done()
        if let source, source != "file" { age?.report("the age of a file is judged only with \"source: file\"") }
        switch (source, file) {
        case ("google", nil): self = .google
        case ("none", nil): self = .none
        case ("file", let file?):
            guard let path = file.path(files) else { return nil }
            do throws(FeedProblem) {
                self = .file(try RevocationFile(path, maxAgeMilliseconds: maxAge ?? 7 * 86_400_000))
            } catch {
                file.report(error.description)
                return nil
            }
        case ("file", nil):
            value.report("want \"file\": a list as Google's service answers it")
            return nil
        default:
            file?.report("a file is read only with \"source: file\"")
            return nil
        }
    }
}
