package import AppAttest
import AssaySchemes
package import AssayVendors

extension Configuration {
    /// How the daemon talks to Apple's services: the section `apple`.
    package struct Apple: Sendable {
        package var teams: [AppleTeamKey] = []
        package var receipts = AppleAddresses.receipts
        /// Whether receipts are exchanged with the token behind `Bearer`.
        package var isBearer = false
        package var deviceCheck = AppleAddresses.deviceCheck
    }

    /// How an app's receipts are exchanged.
    package struct ReceiptExchangeRule: Hashable, Sendable {
        /// Whose key is shown: one of the section `apple`.
        package var teamID: String
        /// In milliseconds.
        package var period: Int64
    }
}

/// Where one of Apple's services is, in either environment.
package struct AppleAddresses: Hashable, Sendable {
    package var production: VendorAddress
    package var development: VendorAddress

    static let receipts = Self(
        production: "data.appattest.apple.com", development: "data-development.appattest.apple.com")
    static let deviceCheck = Self(
        production: "api.devicecheck.apple.com", development: "api.development.devicecheck.apple.com")

    private init(production: StaticString, development: StaticString) {
        func address(_ host: StaticString) -> VendorAddress {
            guard let address = VendorAddress("https://\(host)") else { preconditionFailure("the literal is of the form") }
            return address
        }
        (self.production, self.development) = (address(production), address(development))
    }

    package subscript(environment: AppAttestEnvironment) -> VendorAddress {
        switch environment {
        case .production: production
        case .development: development
        }
    }

    /// What is not there stays as it is.
    fileprivate mutating func read(_ section: ConfigurationReader.Section) {
        if let address = section.optional("production")?.vendorAddress() { production = address }
        if let address = section.optional("development")?.vendorAddress() { development = address }
    }
}

extension Configuration.Apple {
    init(reading value: ConfigurationReader.Value?, _ files: ConfigurationFiles) {
        self.init()
        guard let section = value?.section() else { return }
        for item in section.required("teams")?.filledList() ?? [] {
            guard let team = AppleTeamKey(reading: item, files) else { continue }
            if teams.contains(where: { $0.teamID == team.teamID }) { item.report("the team \(team.teamID) stands here twice") }
            teams.append(team)
        }
        if let section = section.optional("receipts")?.section() {
            receipts.read(section)
            isBearer = section.optional("authorization")?.choice(["bare": false, "bearer": true]) ?? false
            section.done()
        }
        if let section = section.optional("device_check")?.section() {
            deviceCheck.read(section)
            section.done()
        }
        section.done()
    }

}


extension Configuration.ReceiptExchangeRule {
    init?(reading value: ConfigurationReader.Value, _ apple: Configuration.Apple) {
        let section = value.section()
        let teamID = apple.teamID(named: section.optional("team"), for: value)
        let period = section.optional("every")?.milliseconds(in: 86_400_000...ReceiptExchangeRoute.longestPeriod)
        section.done()
        guard let teamID else { return nil }
        self.init(teamID: teamID, period: period ?? ReceiptExchangeRoute.usualPeriod)
    }
}
