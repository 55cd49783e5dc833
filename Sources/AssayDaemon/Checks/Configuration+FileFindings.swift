import AssayConfiguration
import AssayRPC
import AssaySchemes
import AssayVendors
import Foundation

extension Configuration {
    /// Files that the daemon only reads and its user may not: they were read by the user of this process, which is another one.
    ///
    /// - Parameters:
    ///   - account: the daemon's user. Nothing is found for the user of this process, which has read the files.
    ///   - file: the configuration's own path.
    func fileFindings(_ account: UnixAccount, file: String) -> [ConfigurationFinding] {
        guard account.userID != UnixAccount.current.userID else { return [] }
        var written = Set([fixed.store.path, fixed.store.keyFile])
        for list in live.revocationLists.all { written.insert(list.file) }
        for case .unix(let path, _) in fixed.listen { written.insert(path) }
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
