import AssaySQLite
import AssaySchemes

extension ConfigurationReader {
    /// Reports every file that the daemon writes and that is another file of the configuration too, by whatever name: it would be
    /// overwritten.
    ///
    /// - Parameter configuration: the configuration's own file.
    func requireOwnFiles(for store: FixedConfiguration.Store, _ lists: RevocationLists, configuration: String) {
        let ledger = LedgerFile.Side.allCases.map { ("store.path", $0.path(of: store.path)) }
        var named = paths + ledger + [("", configuration)]
        if !paths.contains(where: { $0.key == "store.key_file" }) { named.append(("store.key_file", store.keyFile)) }
        for list in lists.all where list.setting.file == nil { named.append(("feeds", list.file)) }
        let files = named.map {
            // By its place it is known before it exists, by its identity under every name (hard link).
            (key: $0.0, path: $0.1, place: LedgerFile.resolved($0.1), identity: UnixFile(at: $0.1)?.identity)
        }
        for (index, file) in files.enumerated() {
            for other in files[..<index]
            where file.place == other.place || (file.identity != nil && file.identity == other.identity) {
                // Files that are read only may be named twice.
                guard Self.isWritten(file.key) || Self.isWritten(other.key) else { continue }
                let what = other.key.isEmpty ? "this configuration" : "\"\(other.key)\""
                // Where one of them follows from another key, that key is the one to change.
                let place = paths.contains { $0.key == file.key && $0.path == file.path } ? file.key : other.key
                report(
                    "\(file.path) is \(place == file.key ? what : file.key.isEmpty ? "this configuration" : "\"\(file.key)\"") too: "
                        + "want a file of its own, since the daemon writes it", at: place, line: lines[place])
            }
        }
    }

    private static func isWritten(_ key: String) -> Bool {
        ["store.path", "store.key_file", "feeds"].contains(key) || (key.hasPrefix("feeds.") && key.hasSuffix(".file"))
            || (key.hasPrefix("listen[") && key.hasSuffix(".unix"))
    }
}
