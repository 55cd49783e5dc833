import AssayCore

extension AndroidKey {
    private static let title = "assay virtual android key 1"

    /// The key and its device as text, for saving them to a file. The authority is saved separately.
    public var saved: String {
        var saved = SavedText(Self.title)
        device.save(to: &saved)
        saved.add("kind", key.kind.rawValue)
        saved.add("key", key.privateBytes)
        return saved.text
    }

    /// The key whose `saved` is the text, under its authority.
    public init(saved text: String, authority: AndroidAuthority) throws(SimulatorError) {
        let saved = try SavedText(Self.title, reading: text)
        guard let kind = TestKey.Kind(rawValue: try saved.string("kind")) else { throw .unreadable("unknown kind of key") }
        device = try VirtualAndroid(authority: authority, from: saved)
        key = try TestKey(kind, privateBytes: try saved.bytes("key"))
    }
}

extension VirtualAndroid {
    /// The device's properties. The seed is not saved, only the keys.
    fileprivate func save(to saved: inout SavedText) {
        saved.add("level", String(level.rawValue))
        saved.add("provisioning", provisioning.rawValue)
        saved.add("root", root.rawValue)
        saved.add("attestation-key-kind", attestationKey.kind.rawValue)
        saved.add("attestation-key", attestationKey.privateBytes)
        saved.add("attestation-serial", attestationSerial)
        for package in application.packages {
            saved.add("package", package.name)
            saved.add("package-version", String(package.version))
        }
        for signer in application.signers { saved.add("signer", signer) }
        saved.add("attestation-version", String(attestationVersion))
        saved.add("boot-key", rootOfTrust.verifiedBootKey)
        saved.add("boot-locked", String(rootOfTrust.lockedOctet))
        saved.add("boot-state", String(rootOfTrust.verifiedBootState))
        if let hash = rootOfTrust.verifiedBootHash { saved.add("boot-hash", hash) }
        saved.add("os-version", String(osVersion))
        saved.add("os-patch-level", String(osPatchLevel))
        if let vendorPatchLevel { saved.add("vendor-patch-level", String(vendorPatchLevel)) }
        if let bootPatchLevel { saved.add("boot-patch-level", String(bootPatchLevel)) }
        for (tag, text) in identifiers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            saved.add("identifier-\(tag.rawValue)", Array(text.utf8))
        }
        saved.add("module-hash", moduleHash)
        saved.add("certificates-issued", String(certificatesIssued))
    }

    fileprivate init(authority: AndroidAuthority, from saved: SavedText) throws(SimulatorError) {
        guard let level = Level(rawValue: try saved.number("level")),
            let provisioning = Provisioning(rawValue: try saved.string("provisioning")),
            let root = AndroidAuthority.Root(rawValue: try saved.string("root")),
            let kind = TestKey.Kind(rawValue: try saved.string("attestation-key-kind"))
        else { throw .unreadable("unknown level, provisioning, root or kind of key") }
        var application = AttestedApplicationDraft(packages: [], signers: try saved.allBytes("signer"))
        for (name, version) in zip(try saved.allBytes("package"), saved.strings("package-version")) {
            guard let version = UInt64(version) else { throw .unreadable("package-version is not a number in range") }
            application.packages.append(.init(String(decoding: name, as: UTF8.self), version: version))
        }
        self.init(
            authority: authority, application: application, level: level, provisioning: provisioning, root: root,
            attestationKey: try TestKey(kind, privateBytes: try saved.bytes("attestation-key")))
        attestationSerial = try saved.bytes("attestation-serial")
        attestationVersion = try saved.number("attestation-version")
        rootOfTrust.verifiedBootKey = try saved.bytes("boot-key")
        rootOfTrust.lockedOctet = try saved.number("boot-locked")
        rootOfTrust.verifiedBootState = try saved.number("boot-state")
        rootOfTrust.verifiedBootHash = saved.optionalString("boot-hash") == nil ? nil : try saved.bytes("boot-hash")
        osVersion = try saved.number("os-version")
        osPatchLevel = try saved.number("os-patch-level")
        vendorPatchLevel = saved.optionalString("vendor-patch-level") == nil ? nil : try saved.number("vendor-patch-level")
        bootPatchLevel = saved.optionalString("boot-patch-level") == nil ? nil : try saved.number("boot-patch-level")
        for tag in 710...723 where saved.optionalString("identifier-\(tag)") != nil {
            identifiers[DescriptionTag(tag)] = String(decoding: try saved.bytes("identifier-\(tag)"), as: UTF8.self)
        }
        moduleHash = try saved.bytes("module-hash")
        certificatesIssued = try saved.number("certificates-issued")
    }
}
