package import AssayConfiguration
package import AssayCore
import AssayFiles
import AssayRPC
import AssaySQLite
package import AssaySchemes
import AssayService
import AssayVendors
import Foundation

extension Configuration {
    /// What this machine lacks for the configuration to work (folders, files, modes, addresses), and rules of the policies and CAs that
    /// do not fit the time. Nothing is made or changed. Names of hosts are looked up, within ``HostLookup/limit``.
    ///
    /// - Parameters:
    ///   - account: the user that the daemon will run as.
    ///   - now: the time with which revocation files and patch levels are compared.
    package func machineFindings(
        as account: UnixAccount = .current, at now: Timestamp = SystemClock().now()
    ) -> [ConfigurationFinding] {
        (storeFindings(account, now) + recordFindings(account) + webhookFindings() + socketFindings(account)
            + addressFindings(account) + copyFindings(account) + policyFindings(now) + provisioningFindings(account, now)
            + pluginFindings(account))
            .inOrder
    }

    // MARK: Copies of fetched lists

    private func copyFindings(_ account: UnixAccount) -> [ConfigurationFinding] {
        var findings: [ConfigurationFinding] = []
        for list in live.revocationLists.all where live.settings(of: list).isWanted {
            let file = list.file
            guard
                let why = Self.trouble(inFolderOf: file, account)
                    ?? UnixFile(at: file).flatMap({ $0.kind == .file ? nil : "\(file) is not a regular file" })
            else { continue }
            findings.append(
                finding(
                    .revocationCopy, at: "feeds.\(list.declaration.key).file",
                    "\(why); the list is not kept, and each restart needs the network"))
        }
        return findings
    }

    // MARK: Texts

    /// Why a file cannot be made in the folder of `path`; `nil` if it can.
    static func trouble(inFolderOf path: String, _ account: UnixAccount) -> String? {
        let folder = ProtectedFile.folder(of: path)
        guard let found = UnixFile(at: folder) else {
            return "the folder \(folder) does not exist: mkdir -p \(folder) makes it"
        }
        guard found.kind == .folder else { return "\(folder) is not a folder" }
        guard !found.isReadOnly else {
            return "the folder \(folder) cannot be written: its file system is read-only, or it is immutable"
        }
        guard found.permissions.allow(.write, to: account), found.permissions.allow(.search, to: account) else {
            return "\(account.words) may not write into the folder \(folder)"
        }
        return nil
    }
}

extension Configuration {
    /// Files that the daemon only reads and that its user may not read. The user of this process, another one, has read them.
    ///
    /// - Parameters:
    ///   - account: the daemon's user. Nothing is found for the user of this process, which has read the files.
    ///   - file: the configuration's own path.
    func fileFindings(_ account: UnixAccount, file: String) -> [ConfigurationFinding] {
        guard account.userID != UnixAccount.current.userID else { return [] }
        var written = Set([fixed.store.ownFiles, fixed.store.keyFile])
        for list in live.revocationLists.all { written.insert(list.file) }
        for case .unix(let path, _) in fixed.listen.addresses + fixed.operate { written.insert(path) }
        let named = paths.filter { !written.contains($0.value) }.sorted {
            (lines[$0.key] ?? 0, $0.key) < (lines[$1.key] ?? 0, $1.key)
        }
        return ([("", URL(fileURLWithPath: file).path)] + named.map { ($0.key, $0.value) }).compactMap { key, path in
            Self.trouble(reading: path, account).map { finding(.fileUnreadable, at: key, $0) }
        }
    }

    /// Why a user cannot read a file; `nil` if it can, or if there is no file.
    private static func trouble(reading path: String, _ account: UnixAccount) -> String? {
        guard let file = UnixFile(at: path) else { return nil }
        for folder in folders(of: path) where UnixFile(at: folder)?.permissions.allow(.search, to: account) == false {
            return "\(account.words) may not read \(path): the folder \(folder) shuts it out"
        }
        let permissions = file.permissions
        guard !permissions.allow(.read, to: account) else { return nil }
        return "\(account.words) may not read \(path), which belongs to \(words(forUser: permissions.owner)) "
            + "(mode 0\(String(permissions.mode, radix: 8)))"
    }
}

extension UnixAccount {
    var words: String {
        name.map { "the user \($0)" } ?? UnixAccount(userID: userID)?.name.map { "the user \($0)" } ?? "the user \(userID)"
    }
}
