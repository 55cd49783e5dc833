import AssayCertificates
import AssayCore
import AssaySchemes

extension AndroidKeyAttestationSection {
    /// The widest `creation_window`, in milliseconds: how far a device's clock may be off.
    private static let widestCreationWindow: Int64 = 30 * 86_400_000

    init?(reading value: ConfigurationReader.Value, _ shared: SharedSettings) {
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
            let anchor = shared.files.anchor(item, simulated: false)
            if let anchor, policy.denied.publicKeys.contains(anchor.publicKeySHA256) {
                item.report("the root's key stands in \"denied.public_keys\" too")
            }
            return anchor
        }
        let trustsSoftwareRoots = section.optional("trust_software_roots")?.boolean() ?? false
        let revocation = section.optional("revocation").flatMap { AndroidRevocation(reading: $0, shared.files) }
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
        self.init(
            policy: policy, extraRoots: extraRoots ?? [], trustsSoftwareRoots: trustsSoftwareRoots,
            revocation: revocation ?? .google, requiresPlayIntegrity: requiresPlayIntegrity,
            listAddress: shared[AndroidKeyAttestationScheme.revocationList].address)
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
