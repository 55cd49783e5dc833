import AssayConfiguration
import AssayCore
import AssayFiles
import AssayPlugins
import AssaySchemes

extension Configuration {
    /// What keeps plugins from being started here: their files, the launcher, what the kernel can enforce, the folder for their state.
    /// No plugin is started; the launcher is asked what it could enforce.
    ///
    /// - Parameter account: the user that the daemon will run as.
    func pluginFindings(_ account: UnixAccount) -> [ConfigurationFinding] {
        let entries = live.plugins
        guard !entries.isEmpty else { return [] }
        return pluginUserFindings(account) + pluginStateFindings(account) + launcherFindings(account)
            + entries.flatMap { fileFindings(of: $0, account) }
    }

    private func pluginUserFindings(_ account: UnixAccount) -> [ConfigurationFinding] {
        let isRoot = account.userID == 0
        guard isRoot == (fixed.plugins.user == nil) else { return [] }
        guard isRoot else {
            return [
                finding(
                    .pluginUser, at: "plugins.user",
                    "only a daemon that runs as root can start plugins as another user, and it runs as \(account.words): leave the "
                        + "key out")
            ]
        }
        return [
            finding(
                .pluginUser, at: "plugins",
                "the daemon runs as root, and plugins never do: want \"user\", or a daemon with a user of its own")
        ]
    }

    // MARK: The folder of their state

    private func pluginStateFindings(_ account: UnixAccount) -> [ConfigurationFinding] {
        let (state, place) = (fixed.plugins.state, lines["plugins.state"] == nil ? "plugins" : "plugins.state")
        if let why = Self.stateTrouble(state, account) { return [finding(.pluginState, at: place, why)] }
        // Only plugins with a folder run from a copy in it.
        guard let user = fixed.plugins.user, live.plugins.contains(where: { $0.folder != nil }) else { return [] }
        let plugin = UnixAccount(userID: user.id, groups: [user.group])
        for folder in Self.folders(of: state) where UnixFile(at: folder)?.permissions.allow(.search, to: plugin) == false {
            return [
                finding(
                    .pluginState, at: place,
                    "\(plugin.words), as whom plugins run, cannot reach the copies in \(state): chmod o+x \(folder)")
            ]
        }
        return []
    }

    private static func stateTrouble(_ state: String, _ account: UnixAccount) -> String? {
        guard let found = UnixFile(at: state, followsLink: false) else { return trouble(inFolderOf: state, account) }
        guard found.kind == .folder else { return "\(state) is not a folder" }
        guard found.permissions.owner == account.userID else {
            return "\(state) belongs to \(words(forUser: found.permissions.owner)), want \(account.words): chown"
        }
        guard found.permissions.mode & 0o066 == 0 else { return "\(state) is open to other users: chmod 0700 \(state)" }
        return found.isReadOnly ? "\(state) cannot be written: its file system is read-only, or it is immutable" : nil
    }

    // MARK: The launcher

    private func launcherFindings(_ account: UnixAccount) -> [ConfigurationFinding] {
        let launcher = fixed.plugins.launcher
        let steps: [LauncherReport.Step]
        do throws(PluginFileError) {
            try PluginLauncher.check(launcher, owner: account.userID)
            steps = try PluginLauncher.support(launcher)
        } catch {
            return [
                finding(
                    .pluginLauncher, at: lines["plugins.launcher"] == nil ? "plugins" : "plugins.launcher",
                    "\(error); it comes with Assay, and from the repository with make plugins")
            ]
        }
        let unmet = steps.filter { $0.outcome != .enforced }
        var findings: [ConfigurationFinding] = []
        for entry in live.plugins {
            for step in unmet { findings.append(sandboxFinding(entry, "\(step.name): \(step.text)")) }
            let abi = steps.last { $0.name == "landlock" }.flatMap { UInt32($0.text) }
            // Linux 6.7. The launcher checks it again.
            if let abi, abi < 4, !entry.sandbox.ports.isEmpty {
                findings.append(
                    sandboxFinding(
                        entry,
                        "network: TCP cannot be restricted to ports: Landlock ABI 4 is needed, and this kernel has \(abi)"))
            }
        }
        return findings
    }

    private func sandboxFinding(_ entry: PluginEntry, _ what: String) -> ConfigurationFinding {
        entry.sandbox.acceptsWeaker
            ? finding(.pluginSandboxWeaker, of: entry, at: "sandbox", "not enforced here, which the entry accepts: \(what)")
            : finding(
                .pluginSandbox, of: entry, at: "name",
                "the plugin is not started, since the sandbox cannot be enforced: \(what)")
    }

    // MARK: Files

    private func fileFindings(of entry: PluginEntry, _ account: UnixAccount) -> [ConfigurationFinding] {
        var findings = PluginImage.problems(of: entry, owner: account.userID).map { problem in
            finding(.pluginFile, of: entry, at: problem.path == entry.command ? "command" : "manifest", problem.description)
        }
        let unpinned = (entry.sandbox.executable + entry.sandbox.readable).filter { entry.manifest.files[$0] == nil }
        if !unpinned.isEmpty {
            findings.append(
                finding(
                    .pluginUnpinned, of: entry, at: "powers",
                    "used without a pin, as this machine has it: \(unpinned.joined(separator: ", "))"))
        }
        return findings + openFileFindings(of: entry, account)
    }

    /// Which texts of its configuration are secret files, only the plugin says, when it runs.
    private func openFileFindings(of entry: PluginEntry, _ account: UnixAccount) -> [ConfigurationFinding] {
        entry.configuration.paths.compactMap { key, path in
            guard let file = UnixFile(at: path), file.kind == .file else { return nil }
            let isOpen = file.permissions.mode & 0o077 != 0
            guard isOpen || ![0, account.userID].contains(file.permissions.owner) else { return nil }
            let why =
                isOpen
                ? "can be read by other users: chmod 0600 \(path)" : "belongs to \(Self.words(forUser: file.permissions.owner))"
            return finding(
                .pluginSecret, of: entry, at: "configuration",
                "if \(key) is a secret of the plugin, it is not started: \(path) \(why)")
        }
    }
}
