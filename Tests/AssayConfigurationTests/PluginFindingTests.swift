import AssayCore
import AssayPlugins
import AssaySchemes
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// What `check-config` says of plugins on this machine.
@Suite("Findings about plugins", .timeLimit(.minutes(30)))
struct PluginFindingTests {
    let home: CatalogHome
    let plugin: String

    init() throws {
        home = try CatalogHome()
        plugin = home.folder.file("plugin")
        let executable = URL(fileURLWithPath: "/usr/bin/true").resolvingSymlinksInPath()
        try home.folder.write([UInt8](Data(contentsOf: executable)), to: "plugin")
        try home.folder.write(
            """
            #!/bin/sh
            [ "$1" = --print-support ] || exit 2
            cat "$0.says"
            """, to: "launcher")
        for name in ["plugin", "launcher"] { try setMode(name, 0o755) }
        try say("=landlock 7", "=seccomp allow-list")
    }

    private func setMode(_ name: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: home.folder.file(name))
    }

    /// What the launcher says of this machine.
    private func say(_ lines: String...) throws {
        try home.folder.write(
            (["=launcher 1", "=kernel Linux", "=privileges none"] + lines).joined(separator: "\n") + "\n", to: "launcher.says")
    }

    private func findings(_ more: String = "", plugins: String = "", as account: UnixAccount = .current) throws
        -> [ConfigurationFinding]
    {
        let user = account.userID == 0 ? ", user: \"65534:65534\"" : ""
        let main = CatalogHome.main.replacing(
            "plugins.d}", with: "plugins.d, launcher: \(home.folder.file("launcher"))\(plugins.isEmpty ? user : plugins)}")
        let folders = ["/lib", "/lib64", "/usr/lib"].filter { FileManager.default.fileExists(atPath: $0) }.joined(
            separator: ", ")
        let text = """
            name: kiosk
            command: \(plugin)
            formats: [kiosk]
            apps: [photos, parcels]
            \(more.contains("powers:") ? "" : "powers: {execute: [\(folders)]}")
            \(more)
            """
        try home.folder.write(text, to: "plugins.d/kiosk.yaml")
        let pin = try PluginPin(home.entry("kiosk"))
        let configuration = try home.parse(["kiosk": pin.text], main: main)
        return configuration.pluginFindings(account).filter { $0.code != .pluginUnpinned }
    }

    @Test("There are none where all is well, but for what is not pinned")
    func none() throws {
        #expect(try findings() == [])
        let all = try Configuration.load(home.folder.file("assayd.yaml")).pluginFindings(.current)
        #expect(all.map(\.code) == [.pluginUnpinned] && all.allSatisfy(\.code.isDeliberate))
        #expect(all.first?.file == home.entry("kiosk") && all.first?.line == 5)
        #expect(all.first?.message.hasPrefix("used without a pin, as this machine has it: /lib") == true)
    }

    @Test("A file that is not as pinned is found in the catalog's file, by text and in JSON")
    func files() throws {
        #expect(try findings() == [])
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plugin)))
        bytes.append(0)
        try home.folder.write(bytes, to: "plugin")
        try setMode("plugin", 0o755)
        let check = ConfigurationCheck(home.folder.file("assayd.yaml"))
        let found = try #require(check.findings.first { $0.code == .pluginFile })
        #expect(found.file == home.entry("kiosk") && found.line == 2 && found.path == "command")
        #expect(
            found.message.contains(" has the SHA-256 ") && found.message.contains("assay plugin pin \(home.entry("kiosk"))"))
        #expect(
            check.lines.contains { $0.hasPrefix("  failure: \(home.entry("kiosk")):2: command: \(plugin) has the SHA-256 ") })
        #expect(check.json.contains("\"file\" : \"\(home.entry("kiosk"))\""))
        #expect(!check.isGood && check.exitStatus == 0)
        try setMode("plugin", 0o777)
        let open = try Configuration.load(home.folder.file("assayd.yaml")).pluginFindings(.current)
        #expect(
            open.first { $0.code == .pluginFile }?.message
                == "\(plugin) can be written by others (mode 0777): chmod go-w \(plugin)")
    }

    @Test("A launcher that is missing, open to others or another program is found")
    func launcher() throws {
        let path = home.folder.file("launcher")
        try setMode("launcher", 0o777)
        let open = try findings()
        #expect(open.map(\.code) == [.pluginLauncher] && open.first?.path == "plugins.launcher" && open.first?.line == 4)
        #expect(
            open.first?.message.hasPrefix(
                "\(path) can be written by others (mode 0777): chmod go-w \(path); it comes with Assay") == true)
        try setMode("launcher", 0o755)
        try home.folder.write("hello\n", to: "launcher.says")
        #expect(try findings().first?.message.hasPrefix("\(path) does not say what it supports") == true)
        try FileManager.default.removeItem(atPath: path)
        #expect(
            try findings().first?.message.hasPrefix("\(path) cannot be opened: No such file or directory; it comes with")
                == true)
    }

    @Test("What the kernel cannot enforce keeps a plugin from being started, or is accepted in so many words")
    func sandbox() throws {
        try say("-landlock EPERM A filter blocks it: allow landlock_create_ruleset.", "=landlock none", "=seccomp allow-list")
        let refused = try findings()
        #expect(refused.map(\.code) == [.pluginSandbox] && refused.first?.severity == .failure)
        #expect(
            refused.first?.message
                == "the plugin is not started, since the sandbox cannot be enforced: landlock: EPERM A filter blocks it: allow "
                + "landlock_create_ruleset.")
        let accepted = try findings("sandbox: accept_weaker")
        #expect(accepted.map(\.code) == [.pluginSandboxWeaker] && accepted.first?.code.isDeliberate == true)
        #expect(accepted.first?.path == "sandbox" && accepted.first?.line == 6)
        try say("=landlock 2", "=seccomp allow-list")
        #expect(try findings() == [])
        let folders = ["/lib", "/lib64", "/usr/lib"].filter { FileManager.default.fileExists(atPath: $0) }.joined(
            separator: ", ")
        #expect(
            try findings("powers: {network: [443], execute: [\(folders)]}").map(\.message) == [
                "the plugin is not started, since the sandbox cannot be enforced: network: TCP cannot be restricted to ports: Landlock "
                    + "ABI 4 is needed, and this kernel has 2"
            ])
    }

    @Test("A user for plugins is needed for a daemon that runs as root, and for no other")
    func user() throws {
        let root = UnixAccount(userID: 0, groups: [0])
        if UnixAccount.current.userID == 0 {
            let missing = try findings(plugins: ", state: \(home.folder.file("data/p"))", as: root)
            #expect(missing.map(\.code) == [.pluginUser])
            #expect(
                missing.first?.message
                    == "the daemon runs as root, and plugins never do: want \"user\", or a daemon with a user of its own")
        }
        let other = UnixAccount(userID: 4_000_000, groups: [4_000_000])
        let findings = try findings(plugins: ", user: \"65534:65534\"", as: other)
        #expect(findings.first?.code == .pluginUser && findings.first?.path == "plugins.user" && findings.first?.line == 4)
        #expect(
            findings.first?.message
                == "only a daemon that runs as root can start plugins as another user, and it runs as the user 4000000: leave the key out"
        )
    }

    @Test("The folder for the state belongs to the daemon's user and is closed to others")
    func state() throws {
        try FileManager.default.createDirectory(
            atPath: home.folder.file("data/plugins"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755]
        )
        let open = try findings()
        #expect(open.map(\.code) == [.pluginState])
        #expect(
            open.first?.message
                == "\(home.folder.file("data/plugins")) is open to other users: chmod 0700 \(home.folder.file("data/plugins"))")
        try setMode("data/plugins", 0o711)
        #expect(try findings() == [])
        try FileManager.default.removeItem(atPath: home.folder.file("data/plugins"))
        try home.folder.write("", to: "data/plugins")
        #expect(try findings().first?.message == "\(home.folder.file("data/plugins")) is not a folder")
        try FileManager.default.removeItem(atPath: home.folder.file("data/plugins"))
        guard UnixAccount.current.userID == 0 else { return }
        try setMode("data", 0o700)
        #expect(try findings() == [], "no plugin runs from a copy")
        try FileManager.default.createDirectory(
            atPath: home.folder.file("code"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        try home.folder.write("data", to: "code/file")
        #expect(
            try findings("folder: \(home.folder.file("code"))").first?.message.hasSuffix(
                "as whom plugins run, cannot reach the copies in \(home.folder.file("data/plugins")): chmod o+x \(home.folder.file("data"))"
            ) == true)
        try setMode("data", 0o755)
    }

    @Test("An open file that the configuration of a plugin names is told, since it may be a secret")
    func openSecret() throws {
        try home.folder.write("key", to: "secret.txt")
        try setMode("secret.txt", 0o644)
        let more = "configuration: {secret: ../secret.txt, other: not-a-file, folder: ., number: 3}"
        let found = try findings(more)
        let path = home.folder.file("plugins.d") + "/../secret.txt"
        let messages = found.filter { $0.code == .pluginSecret }.map(\.message)
        #expect(
            messages == [
                "if secret is a secret of the plugin, it is not started: \(path) can be read by other users: chmod 0600 \(path)"
            ])
        try setMode("secret.txt", 0o600)
        #expect(try findings(more) == [])
    }
}
