import AssayCore
import AssaySchemes

extension AppConfiguration {
    /// Rules about certificates that no device of the app meets.
    ///
    /// - Parameter registering: the keys of the sections whose evidence registers devices.
    func certificateFindings(_ registering: Set<String>) -> [SectionFinding] {
        secretFindings + issuingFindings(registering)
    }

    private var secretFindings: [SectionFinding] {
        guard provisioning?.fleet == nil else { return [] }
        return sections.compactMap(\.section.fleetSecretRule).map {
            .unmeetable(
                $0,
                "the app has no fleet in its section \"provisioning\", so no secret is decrypted and every bundle is rejected")
        }
    }

    /// Rules of issuing that a vouched key does not meet, in an app whose platforms attest no other.
    private func issuingFindings(_ registering: Set<String>) -> [SectionFinding] {
        let platforms = sections.filter { registering.contains($0.key) }.map(\.section)
        guard let rule = provisioning?.issuing, !platforms.isEmpty, !platforms.contains(where: \.attestsCertifiableKeys)
        else { return [] }
        guard let ceiling = rule.vouchedCeiling else {
            return [
                .unmeetable(
                    "provisioning.vouched",
                    "the app's platforms attest no key that can be certified, so no certificate is issued")
            ]
        }
        guard ceiling < rule.leastAssurance else { return [] }
        return [
            .unmeetable(
                "provisioning.min_assurance",
                "the app's platforms attest no key that can be certified, and a vouched key has at most \(ceiling.name) "
                    + "(\"vouched\"), so no certificate is issued")
        ]
    }
}
