import AssaySchemes
package import AssayVendors
package import DeviceCheck

extension Configuration.App {
    /// DeviceCheck tokens, for an app that switches them on.
    package struct DeviceCheck: Hashable, Sendable {
        /// Whose key is shown: one of the section `apple`.
        package var teamID: String
        package var address: VendorAddress
        package var policy: DeviceCheckPolicy
    }
}

extension Configuration.App.DeviceCheck {
    init?(reading value: ConfigurationReader.Value, _ apple: Configuration.Apple) {
        let section = value.section()
        let teamID = apple.teamID(named: section.optional("team"), for: value)
        let address =
            section.optional("environment")?.choice([
                "production": apple.deviceCheck.production, "development": apple.deviceCheck.development,
            ]) ?? apple.deviceCheck.production
        let bits = section.optional("refuse_bits")?.list()?.compactMap {
            $0.choice(["bit0": DeviceCheckPolicy.Bit.bit0, "bit1": .bit1])
        }
        let memory = section.optional("spend_token_for")?.milliseconds(in: 600_000...30 * 86_400_000)
        section.done()
        guard let teamID else { return nil }
        self.init(
            teamID: teamID, address: address,
            policy: DeviceCheckPolicy(
                refusedBits: Set(bits ?? []),
                spendsTokenFor: memory ?? DeviceCheckPolicy.usualMemory))
    }
}
