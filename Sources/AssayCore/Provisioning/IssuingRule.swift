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
    package var arc: [UInt64]
    /// At most 255 bytes, as the validation endpoint.
    package var manufacturer: String
    package var validationEndpoint: String
    /// The assurance of the certificates: that of the factory's word.
    package var assurance: Assurance
    /// Whether Assay makes the key of a device that sends no CSR.
    package var makesKeys: Bool

    package init(
        profile: CertificateProfile = CertificateProfile().ofFleet, arc: [UInt64] = FleetStatement.defaultArc,
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

extension FieldDigest {
    /// Appends everything of the rule that bears on a verdict or on what a certificate says.
    package mutating func append(_ rule: IssuingRule) {
        append("issuing")
        append(rule.profile)
        append(UInt64(rule.leastAssurance.rawValue))
        append(rule.vouchedCeiling.map { UInt64($0.rawValue) } ?? .max)
        guard !rule.plugins.isEmpty else { return }
        append("plugins")
        append(UInt64(rule.plugins.count))
        for id in rule.plugins.sorted() { append(id) }
    }

    package mutating func append(_ rule: FleetRule) {
        append("fleet")
        append(rule.profile)
        for number in rule.arc { append(number) }
        append(rule.manufacturer)
        append(rule.validationEndpoint)
        append(UInt64(rule.assurance.rawValue))
        append(rule.makesKeys ? 1 : 0)
    }

    private mutating func append(_ profile: CertificateProfile) {
        append(UInt64(bitPattern: profile.validity))
        append(profile.commonName.text)
        append(profile.organization?.text ?? "")
        append(profile.organizationalUnit?.text ?? "")
        append(profile.serialNumber?.text ?? "")
        append(UInt64(profile.alternativeNames.count))
        for name in profile.alternativeNames { append(name.text) }
        append(profile.revocationListURL?.text ?? "")
        append(UInt64(profile.extensionArc.count))
        for number in profile.extensionArc { append(number) }
        append(profile.allowsClientAuthentication ? 1 : 0)
    }
}
