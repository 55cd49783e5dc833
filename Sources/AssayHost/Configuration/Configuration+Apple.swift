import AppAttest
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

    subscript(environment: AppAttestEnvironment) -> VendorAddress {
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

    func team(_ id: String) -> AppleTeamKey? { teams.first { $0.teamID == id } }

    /// The team that a section of an app names, or the only one.
    func teamID(named value: ConfigurationReader.Value?, for whole: ConfigurationReader.Value) -> String? {
        guard let value else {
            if let only = teams.first, teams.count == 1 { return only.teamID }
            whole.report(
                teams.isEmpty
                    ? "\"apple\" names no team whose key could be shown" : "want \"team\": \"apple\" names more than one")
            return nil
        }
        guard let id = value.text() else { return nil }
        if team(id) == nil {
            let meant = Spelling.nearest(to: id, among: teams.map { $0.teamID.lowercased() })
            value.report(
                "\"apple\" names no team \"\(id.prefix(20))\"" + (meant.map { "; did you mean \($0.uppercased())?" } ?? ""))
        }
        return id
    }
}

extension AppleTeamKey {
    /// A `.p8` file has about 260 bytes.
    private static let fileLimit = 16_384

    fileprivate init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let teamID = section.required("team_id")?.appleID()
        let keyID = section.required("key_id")?.appleID()
        let file = section.required("private_key")
        section.done()
        guard let teamID, let keyID, let file, let path = file.path(files) else { return nil }
        do {
            let bytes = try ProtectedFile.read(path, atMost: Self.fileLimit)
            try self.init(teamID: teamID, keyID: keyID, pem: String(decoding: bytes, as: UTF8.self))
        } catch let problem as AppleKeyProblem {
            file.report("\(path): \(problem)")
            return nil
        } catch let problem as ProtectedFileError {
            file.report("the key file \(path) \(problem.description)")
            return nil
        } catch {
            file.report("\(path): \(error)")
            return nil
        }
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

extension ConfigurationReader.Value {
    /// `https://host`, with or without a port and a path.
    func vendorAddress() -> VendorAddress? {
        guard let text = text() else { return nil }
        guard let address = VendorAddress(text) else {
            report("want https://host, with or without a port and a path, have \"\(text.prefix(60))\"")
            return nil
        }
        return address
    }

    /// A team or key id: ten capital letters and digits.
    fileprivate func appleID() -> String? {
        guard let text = text() else { return nil }
        guard AppleTeamKey.isID(text) else {
            report("want ten capital letters and digits, have \"\(text.prefix(20))\"")
            return nil
        }
        return text
    }
}
