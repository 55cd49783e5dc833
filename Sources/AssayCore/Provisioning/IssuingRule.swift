/// How certificates are issued to the devices of an app.
package struct IssuingRule: Hashable, Sendable {
    package var profile: CertificateProfile
    /// The least assurance of a certificate.
    package var leastAssurance: Assurance
    /// The highest assurance of a certificate whose key the platform does not attest; `nil`: no such key is certified.
    package var vouchedCeiling: Assurance?
    /// The ids of the plugins on whose judgement certificates may be issued.
    package var plugins: Set<String>

    package init(
        profile: CertificateProfile = CertificateProfile(), leastAssurance: Assurance = .platform,
        vouchedCeiling: Assurance? = .platform, plugins: Set<String> = []
    ) {
        (self.profile, self.leastAssurance, self.vouchedCeiling) = (profile, leastAssurance, vouchedCeiling)
        self.plugins = plugins
    }
}

/// How devices of an app's fleet are provisioned.
package struct FleetRule: Hashable, Sendable {
    package var profile: CertificateProfile
    /// The arc of the fleet's extensions.
    package var arc: ExtensionArc
    /// At most 255 bytes, as the validation endpoint.
    package var manufacturer: String
    package var validationEndpoint: String
    /// The assurance of the certificates: that of the factory's word.
    package var assurance: Assurance
    /// Whether Assay makes the key of a device that sends no CSR.
    package var makesKeys: Bool

    package init(
        profile: CertificateProfile = CertificateProfile().ofFleet, arc: ExtensionArc = .fleet,
        manufacturer: String,
        validationEndpoint: String, assurance: Assurance = .software, makesKeys: Bool = false
    ) {
        (self.profile, self.arc, self.manufacturer) = (profile, arc, manufacturer)
        (self.validationEndpoint, self.assurance, self.makesKeys) = (validationEndpoint, assurance, makesKeys)
    }
}

extension CertificateProfile {
    /// The same with the device's serial number as common name and serial number.
    package var ofFleet: CertificateProfile {
        var profile = self
        (profile.commonName, profile.serialNumber) = ("{serial}", "{serial}")
        return profile
    }
}

extension PolicyText {
    /// Adds everything of the rule that bears on a verdict or on what a certificate says.
    package mutating func add(_ rule: IssuingRule) {
        mark("issuing")
        nested("provisioning") { policy in
            policy.add(rule.profile)
            policy.add("min_assurance", hashed: UInt64(rule.leastAssurance.rawValue), shown: rule.leastAssurance.name)
            policy.add(
                "vouched", hashed: rule.vouchedCeiling.map { UInt64($0.rawValue) } ?? .max,
                shown: rule.vouchedCeiling?.name ?? "refused")
            guard !rule.plugins.isEmpty else { return }
            policy.mark("plugins")
            policy.mark(UInt64(rule.plugins.count))
            for id in rule.plugins.sorted() { policy.add("plugins", id) }
        }
    }

    package mutating func add(_ rule: FleetRule) {
        mark("fleet")
        nested("provisioning.fleet") { policy in
            policy.add(rule.profile)
            policy.add(arc: rule.arc, "fleet_arc")
            policy.add("manufacturer", rule.manufacturer)
            policy.add("validation_endpoint", rule.validationEndpoint)
            policy.add("assurance", hashed: UInt64(rule.assurance.rawValue), shown: rule.assurance.name)
            policy.add("generate_keys", flag: rule.makesKeys)
        }
    }

    private mutating func add(_ profile: CertificateProfile) {
        add("validity", milliseconds: profile.validity)
        nested("subject") { policy in
            policy.add("common_name", profile.commonName.text)
            policy.add("organization", profile.organization?.text ?? "")
            policy.add("organizational_unit", profile.organizationalUnit?.text ?? "")
            policy.add("serial_number", profile.serialNumber?.text ?? "")
        }
        mark(UInt64(profile.alternativeNames.count))
        for name in profile.alternativeNames { add("alternative_names", name.text) }
        add("crl_url", profile.revocationListURL?.text ?? "")
        mark(UInt64(profile.extensionArc.numbers.count))
        add(arc: profile.extensionArc, "extension_arc")
        add("client_auth", flag: profile.keyPurposes.contains(.clientAuthentication))
        for purpose in profile.keyPurposes where purpose != .clientAuthentication {
            add("extended_key_usage", purpose.identifier)
        }
    }

    /// The numbers of an object identifier: the digest has each by itself.
    private mutating func add(arc: ExtensionArc, _ key: String) {
        for number in arc.numbers {
            // That of a UUID, in two halves.
            if number > UInt128(UInt64.max) { mark(UInt64(truncatingIfNeeded: number >> 64)) }
            mark(UInt64(truncatingIfNeeded: number))
        }
        show(key, "\(arc)")
    }
}
