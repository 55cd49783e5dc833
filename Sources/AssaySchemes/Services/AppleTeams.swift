import AssayCore
import AssayFiles
package import AssayVendors

/// The developer teams of the section `apple`, whose keys are shown to Apple's services.
package struct AppleTeams: Sendable {
    package private(set) var keys: [AppleTeamKey] = []
    /// Whether a team of the list could not be read, which is reported there.
    private var isIncomplete = false

    package init() {}

    /// Reads the list `teams`.
    package init(reading value: ConfigurationReader.Value?, _ files: ConfigurationFiles) {
        for item in value?.filledList(orReport: "want at least one team") ?? [] {
            guard let team = AppleTeamKey(reading: item, files) else {
                isIncomplete = true
                continue
            }
            if keys.contains(where: { $0.teamID == team.teamID }) { item.report("the team \(team.teamID) stands here twice") }
            keys.append(team)
        }
    }

    package func team(_ id: String) -> AppleTeamKey? { keys.first { $0.teamID == id } }

    /// The team that a section of an app names, or the only one.
    package func teamID(named value: ConfigurationReader.Value?, for whole: ConfigurationReader.Value) -> String? {
        guard let value else {
            if let only = keys.first, keys.count == 1 { return only.teamID }
            guard !isIncomplete else { return nil }
            whole.report(
                keys.isEmpty
                    ? "\"apple\" names no team whose key could be shown" : "want \"team\": \"apple\" names more than one")
            return nil
        }
        guard let id = value.text() else { return nil }
        if team(id) == nil, !isIncomplete {
            value.report(
                "\"apple\" names no team \"\(id.prefix(20))\""
                    + Spelling.hint(for: id, among: keys.map(\.teamID)))
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
        } catch let problem as AppleKeyError {
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

extension ConfigurationReader.Value {
    /// A team or key id: ten capital letters and digits.
    fileprivate func appleID() -> String? {
        guard let text = text() else { return nil }
        guard AppleTeamKey.isID(text) else {
            let first = String(text.prefix { $0 != "." })
            let meant = AppleTeamKey.isID(first) ? first : AppleTeamKey.isID(text.uppercased()) ? text.uppercased() : nil
            report(
                "want ten capital letters and digits, have \"\(text.prefix(20))\""
                    + (meant.map { "; did you mean \"\($0)\"?" } ?? ""))
            return nil
        }
        return text
    }
}
