package import AssayCertificates
package import AssayCore
package import AssaySchemes
package import AssayVendors

/// An app's section `android`: the app on Android, known by its packages and their signers.
package struct AndroidKeyAttestationSection: SchemeSection {
    package var policy: AndroidPolicy
    /// Roots of the app's own, beside Google's.
    package var extraRoots: [TrustAnchor]
    /// Whether the roots of software attestation are trusted, whose private keys are public: for emulators.
    package var trustsSoftwareRoots: Bool
    package var revocation: AndroidRevocation
    /// Whether a registration must contain a Play Integrity token that is bound to the attested key.
    package var requiresPlayIntegrity: Bool
    /// Where Google's revocation list is.
    package var listAddress: VendorAddress

    package init(
        policy: AndroidPolicy, extraRoots: [TrustAnchor] = [], trustsSoftwareRoots: Bool = false,
        revocation: AndroidRevocation = .google, requiresPlayIntegrity: Bool = false,
        listAddress: VendorAddress = AndroidKeyAttestationScheme.revocationList.home
    ) {
        (self.policy, self.extraRoots, self.trustsSoftwareRoots) = (policy, extraRoots, trustsSoftwareRoots)
        (self.revocation, self.requiresPlayIntegrity, self.listAddress) = (revocation, requiresPlayIntegrity, listAddress)
    }

    /// Google's roots, the app's own, and those of test authorities.
    package func anchors(with testRoots: [TrustAnchor]) -> [TrustAnchor] {
        TrustAnchor.googleHardware + extraRoots + softwareRoots + testRoots
    }

    // MARK: Judging

    package func verifiers(_ dependencies: SchemeDependencies) -> [any EvidenceVerifier] {
        [
            KeyAttestationVerifier(
                anchors: anchors(with: dependencies.testRoots), policy: policy, links: dependencies.links)
        ]
    }

    package func deviceAppraisers(_ dependencies: SchemeDependencies) -> [any RegisteredDeviceAppraiser] {
        [AndroidDeviceAppraiser(anchors: anchors(with: dependencies.testRoots), policy: policy)]
    }

    package func revocationSource(_ dependencies: SchemeDependencies) -> (any RevocationSource)? {
        switch revocation {
        case .google:
            dependencies.revocationLists[AndroidKeyAttestationScheme.revocationList.name]
                ?? MissingList(name: AndroidKeyAttestationScheme.revocationList.name)
        case .file(let file): file
        case .none: nil
        }
    }

    package var attestsCertifiableKeys: Bool { true }

    package var requiredTogether: Set<EvidenceFormat> { requiresPlayIntegrity ? [.keyAttestation, .playIntegrity] : [] }

    // MARK: What the section needs from outside

    package var softwareRoots: [TrustAnchor] { trustsSoftwareRoots ? TrustAnchor.googleSoftware : [] }

    package var serviceCalls: [ServiceCall] {
        guard case .google = revocation else { return [] }
        let list = AndroidKeyAttestationScheme.revocationList
        return [ServiceCall(listAddress.description + list.path, for: list.purpose)]
    }

    package var revocationLists: Set<String> {  // not text from outside
        if case .google = revocation { [AndroidKeyAttestationScheme.revocationList.name] } else { [] }
    }

    package var revocationFiles: [RevocationFile] { if case .file(let file) = revocation { [file] } else { [] } }

    // MARK: Rules between sections

    package var devicePlatforms: Set<DevicePlatform> { [.android] }

    package var identity: AppIdentity? {
        AppIdentity(packages: (policy.apps ?? []).map { AppIdentity.Package(name: $0.packageName, signers: $0.signers) })
    }

    package var evidenceLifetime: EvidenceLifetime? {
        policy.acceptableFor.map {
            EvidenceLifetime(milliseconds: $0, reason: "an attestation is good for twice android.creation_window")
        }
    }

    /// The section whose tokens a registration must contain too.
    static let together = "play_integrity"

    package func check(beside app: AppSections) {
        guard requiresPlayIntegrity else { return }
        if app.at(Self.together) == nil {
            app.value.report("want \"play_integrity\": the app requires its tokens (android.require_play_integrity)")
        }
        guard let tokens = app.sections[Self.together]?.identity, let own = policy.apps else { return }
        let isShared = own.contains { package in
            package.packageName == nil || tokens.packages.contains { $0.name == nil || $0.name == package.packageName }
        }
        if !isShared {
            app.at(Self.together, "packages")?.report(
                "want a package of \"android.packages\" among them: a token must be of the app that made the attested key")
        }
    }
}

/// A list that the daemon does not fetch: no certificate can be looked up, so that no verdict is given.
private struct MissingList: RevocationSource {
    let name: String
    func knowledge(at now: Timestamp) -> RevocationKnowledge { .unavailable("the list \(name) is not fetched") }
}

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
        policy.requiresEqualVersions = section.optional("require_equal_versions")?.boolean() ?? false
        policy.allowsSuspended = section.optional("allow_suspended")?.boolean() ?? false
        policy.offline = section.optional("offline").flatMap(OfflineRule.init(reading:))
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
        if value.names?.isEmpty == true {
            value.report("want at least one of \(AuthorizationTag.deviceIDs.map(\.name).joined(separator: ", "))")
        }
        return expected
    }
}
