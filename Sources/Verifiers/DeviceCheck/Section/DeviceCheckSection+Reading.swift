import AssaySchemes

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
