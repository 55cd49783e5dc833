package import AssayCore
package import AssaySchemes
package import AssayVendors

/// The revocation lists that the daemon fetches, and where their copies lie: the section `feeds`.
package struct RevocationLists: Sendable {
    package struct List: Sendable {
        package let declaration: RevocationListDeclaration
        package let setting: RevocationListSetting
        /// The file of the last good copy.
        package let file: String
    }

    package let all: [List]

    /// - Parameter ledger: the ledger's path, beside which copies lie whose file is not named.
    init(
        reading value: ConfigurationReader.Value?, _ files: ConfigurationFiles,
        of declarations: [RevocationListDeclaration], ledger: String
    ) {
        let section = value?.section()
        all = declarations.map { declaration in
            let setting = RevocationListSetting(declaration, reading: section?.optional(declaration.key), files)
            return List(declaration: declaration, setting: setting, file: setting.file ?? ledger + declaration.copySuffix)
        }
        section?.done()
    }

    /// By the names of the lists.
    var settings: [String: RevocationListSetting] {
        Dictionary(all.map { ($0.declaration.name, $0.setting) }, uniquingKeysWith: { first, _ in first })
    }
}

extension LiveConfiguration {
    /// The settings of a list, which is fetched where some app uses it.
    package func settings(of list: RevocationLists.List) -> RevocationFeed.Settings {
        RevocationFeed.Settings(
            address: list.setting.address, path: list.declaration.path, maxAgeMilliseconds: list.setting.maxAge,
            file: list.file,
            isWanted: apps.flatMap(\.allSections).contains { $0.section.revocationLists.contains(list.declaration.name) })
    }

    /// The files that apps take their own lists from.
    package var revocationFiles: [AppRevocationFile] {
        apps.flatMap { app in
            app.allSections.flatMap(\.section.revocationFiles).enumerated().map { index, file in
                AppRevocationFile(app: app.id, file: file, number: index + 1)
            }
        }
    }
}

/// A file with a revocation list of one app, as operators see it: `file:<app>`, and `file:<app>:2` for a second one.
package struct AppRevocationFile: TrustFeed {
    package let app: AppID
    package let file: RevocationFile
    /// From 1, in the order of the configuration.
    package let number: Int

    package var name: String { number == 1 ? "file:\(app.text)" : "file:\(app.text):\(number)" }
    package var apps: Set<AppID>? { [app] }
    package func status(at now: Timestamp) -> TrustFeedStatus { file.status(at: now) }

    package func load(_ text: [UInt8], asOf: Timestamp, force: Bool) throws(TrustFeedError) {
        throw TrustFeedError("the list is read from \(file.path): replace that file, and it is read again within a minute")
    }
}

/// Revocation lists as files, for tools.
package enum RevocationList {
    /// Reads a list in the format of Google's service.
    package static func snapshot(of text: [UInt8]) throws(RevocationListError) -> RevocationSnapshot {
        do throws(FeedError) {
            return try RevocationSnapshot(attestationStatus: text, feed: "file", asOf: .distantPast)
        } catch {
            throw RevocationListError(description: error.description)
        }
    }

    /// The entries of a list in the format of Google's service, in the order of their serial numbers.
    package static func entries(
        of text: [UInt8]
    ) throws(RevocationListError) -> [(serial: [UInt8], entry: RevocationSnapshot.Entry)] {
        try snapshot(of: text).inOrder
    }
}

/// The text is not a revocation list.
package struct RevocationListError: Error, CustomStringConvertible {
    package let description: String
}
