package import AssayConfiguration
package import AssayCore
import AssayRPC
import AssaySQLite
package import AssaySchemes
import AssayService
import AssayVendors

extension Configuration {
    /// What this machine lacks for the configuration to work: folders, files, modes, addresses; and what devices lack of today.
    /// Nothing is made or changed. Names of hosts are looked up, within ``HostLookup/limit``.
    ///
    /// - Parameters:
    ///   - account: as whom the daemon will run.
    ///   - now: files of revoked certificates and levels of patches are held against it.
    package func surroundings(
        as account: UnixAccount = .current, at now: Timestamp = SystemClock().now()
    ) -> [ConfigurationFinding] {
        (storeFindings(account) + socketFindings(account) + addressFindings(account) + copyFindings(account)
            + policyFindings(now)).inOrder
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

    // MARK: Words

    /// Why a file cannot be made in the folder of `path`; `nil` if it can.
    static func trouble(inFolderOf path: String, _ account: UnixAccount) -> String? {
        let folder = ProtectedFile.folder(of: path)
        guard let found = UnixFile(at: folder) else { return "the folder \(folder) does not exist" }
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

extension UnixAccount {
    var words: String {
        name.map { "the user \($0)" } ?? UnixAccount(userID: userID)?.name.map { "the user \($0)" } ?? "the user \(userID)"
    }
}
