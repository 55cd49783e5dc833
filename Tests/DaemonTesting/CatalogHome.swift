import AssayCore
import AssayPlugins
import AssaySchemes
import Foundation

@testable import AssayConfiguration

/// A configuration with a catalog of plugins, in a folder that is deleted with the object.
struct CatalogHome: Sendable {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["plugins.d", "data"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    }

    static let main = """
        listen: [{unix: a.sock}]
        store: {path: data/ledger.db}
        callers: {known: [{name: handler, unix_user: 0, roles: [verify], apps: all}]}
        plugins: {catalog: plugins.d}
        apps:
          photos:
            app_attest:
              identities: [{app_id: TEAMID1234.com.example.photos}]
          parcels: {}
        """

    /// A primary plugin of the format `kiosk` for both apps.
    static let kiosk = """
        name: kiosk
        command: /usr/lib/assay/kiosk
        formats: [kiosk]
        apps: [photos, parcels]
        manifest:
          /usr/lib/assay/kiosk: "\(String(repeating: "ab", count: 32))"
        """

    func entry(_ name: String) -> String { folder.file("plugins.d/\(name).yaml") }

    /// Parses the configuration with these entries, by the names of their files.
    func parse(_ entries: [String: String] = ["kiosk": kiosk], main: String = main) throws -> Configuration {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("plugins.d")) {
            try FileManager.default.removeItem(atPath: folder.file("plugins.d/" + name))
        }
        for (name, text) in entries { try folder.write(text, to: "plugins.d/\(name).yaml") }
        try folder.write(main, to: "assayd.yaml")
        return try Configuration.load(folder.file("assayd.yaml"))
    }

    /// The problems as the operator reads them, without the folder.
    func problems(_ entries: [String: String], main: String = main) -> [String] {
        do {
            _ = try parse(entries, main: main)
            return []
        } catch { return "\(error)".replacing(folder.path + "/", with: "").split(separator: "\n").map(String.init) }
    }

    /// The problems of one entry, without the name of its file.
    func problems(_ text: String) -> [String] {
        problems(["kiosk": text]).map { $0.replacing("plugins.d/kiosk.yaml", with: "") }
    }
}
