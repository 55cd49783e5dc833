import AssayCore
package import AssayPlugins
import AssaySchemes
import Foundation

/// What the section `plugins` says that a running daemon cannot change: how plugins are run.
package struct PluginSettings: Hashable, Sendable {
    /// The path of `assay-plugin-launcher`.
    package var launcher: String
    /// The folder with private copies of plugins, their quarantine, and which of them are disabled. Mode 0700.
    package var state: String
    /// The user that plugins run as if the daemon runs as root.
    package var user: Sandbox.User?
}

extension PluginSettings {
    private static let launcherName = "assay-plugin-launcher"

    /// - Parameter store: the ledger's path; without one the configuration is refused anyway.
    init(reading section: ConfigurationReader.Section?, _ files: ConfigurationFiles, store: String?) {
        launcher = Self.usualLauncher()
        state = ((store ?? files.resolve("store")) as NSString).deletingLastPathComponent + "/plugins"
        user = nil
        guard let section else { return }
        if let value = section.optional("launcher"), let path = value.path(files) {
            launcher = path
            if value.text()?.hasPrefix("/") == false { value.report("want an absolute path") }
        }
        if let path = section.optional("state")?.path(files) { state = path }
        if let value = section.optional("user") { user = Sandbox.User(reading: value) }
    }

    /// Beside the executable of this process in `../libexec/assay`, or in the `.build/plugins` of a build from the repository.
    ///
    /// - Parameter executable: the path of another one.
    package static func usualLauncher(of executable: String? = nil) -> String {
        let folder = URL(fileURLWithPath: executable ?? ProgramFile.path ?? "/usr/bin/assayd").deletingLastPathComponent()
        let installed = folder.deletingLastPathComponent().appending(path: "libexec/assay/\(launcherName)").path
        let parts = folder.pathComponents
        guard !FileManager.default.fileExists(atPath: installed), let build = parts.lastIndex(of: ".build") else {
            return installed
        }
        return NSString.path(withComponents: Array(parts[...build])) + "/plugins/\(launcherName)"
    }
}

extension Sandbox.User {
    /// A name, or the numbers of user and group with a colon between them.
    fileprivate init?(reading value: ConfigurationReader.Value) {
        guard let text = value.filledText() else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt32($0) }
        let user: Sandbox.User
        if numbers.count == 2, parts.count == 2 {
            user = Sandbox.User(id: numbers[0], group: numbers[1])
        } else if let account = UnixAccount(named: text), let group = account.groups.first {
            user = Sandbox.User(id: account.userID, group: group)
        } else {
            value.report("this machine has no user \"\(text.prefix(60))\"; want a name, or user and group such as 990:990")
            return nil
        }
        guard user.id != 0, user.group != 0, user.id != .max, user.group != .max else {
            value.report("plugins never run as root; want a user of their own")
            return nil
        }
        self = user
    }
}
