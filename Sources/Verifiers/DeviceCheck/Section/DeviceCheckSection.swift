package import AssayCertificates
package import AssayCore
package import AssaySchemes
package import AssayVendors

/// The section `device_check` of an app: DeviceCheck tokens are accepted.
package struct DeviceCheckSection: SchemeSection {
    /// The team whose key is shown to the service: one of the section `apple`.
    package var teamID: String
    /// The service in the environment of the app's tokens.
    package var address: VendorAddress
    package var policy: DeviceCheckPolicy

    package init(teamID: String, address: VendorAddress, policy: DeviceCheckPolicy) {
        (self.teamID, self.address, self.policy) = (teamID, address, policy)
    }

    // MARK: Judging

    package func verifiers(_ dependencies: SchemeDependencies) -> [any EvidenceVerifier] {
        [DeviceCheckVerifier(policy: policy)]
    }

    /// The reader allows no team without a key.
    package func answerSources(_ dependencies: SchemeDependencies) -> [EvidenceFormat: any AnswerSource] {
        guard let vendors = dependencies.vendors, let token = vendors.appleTokens[teamID] else { return [:] }
        return [
            .deviceCheck: DeviceCheckClient(
                client: vendors.client, address: address, token: token, clock: vendors.clock, logger: vendors.logger)
        ]
    }

    package func describe(in text: inout PolicyText, testRoots: [TrustAnchor]) {
        text.mark("device-check")
        text.nested("device_check") { text in
            text.add("team", teamID)
            text.add("service", address.description)
            policy.describe(in: &text)
        }
    }

    package var devicePlatforms: Set<DevicePlatform> { [.iOS] }
    // A token is bound to nothing.
    package var coversHashes: Bool { false }

    // MARK: What the section needs from outside

    package var serviceCalls: [ServiceCall] {
        [
            ServiceCall(
                address.description, for: ServiceCall.Purpose("device_check", "what DeviceCheck tokens say"),
                whileCallerWaits: true)
        ]
    }

    package var evidenceLifetime: EvidenceLifetime? {
        EvidenceLifetime(milliseconds: policy.spendsTokenFor, reason: "device_check.spend_token_for is that long")
    }

    package var serviceSummary: [String] { ["DeviceCheck as team \(teamID), asked of \(address.host)"] }
}

extension DeviceCheckSection {
    /// How long an accepted token may be kept, in milliseconds: from ten minutes to 30 days.
    private static let memories: ClosedRange<Int64> = 600_000...30 * 86_400_000

    /// Every key has a default, so that `device_check: {}` is a whole section where `apple` names one team.
    init?(reading value: ConfigurationReader.Value, _ shared: SharedSettings) {
        let section = value.section()
        let teamID = shared.appleTeams.teamID(named: section.optional("team"), for: value)
        let service = shared[DeviceCheckScheme.service]
        let address = section.optional("environment")?.choice([
            "production": service.production, "development": service.development ?? service.production,
        ])
        let bits = section.optional("refuse_bits")?.list()?.compactMap {
            $0.choice(["bit0": DeviceCheckPolicy.Bit.bit0, "bit1": .bit1])
        }
        let memory = section.optional("spend_token_for")?.milliseconds(in: Self.memories)
        section.done()
        guard let teamID else { return nil }
        self.init(
            teamID: teamID, address: address ?? service.production,
            policy: DeviceCheckPolicy(
                refusedBits: Set(bits ?? []), spendsTokenFor: memory ?? DeviceCheckPolicy.usualMemory))
    }
}
