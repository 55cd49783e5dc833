import AssayService

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ConfigurationReader {
    /// Reports every file that the daemon writes and that is another file of the configuration too, by whatever name: it would be
    /// overwritten.
    ///
    /// - Parameter configuration: the configuration's own file.
    func requireOwnFiles(for store: Configuration.Store, feeds: Configuration.Feeds, configuration: String) {
        // SQLite's files beside the ledger, and the mark of its owner.
        let ledger = ["-wal", "-shm", ".lock"].map { ("store.path", store.path + $0) }
        var named = paths + ledger + [("", configuration)]
        if !paths.contains(where: { $0.key == "store.key_file" }) { named.append(("store.key_file", store.keyFile)) }
        if feeds.attestationStatus.file == nil {
            named.append(("feeds", store.path + Configuration.Feeds.AttestationStatus.copySuffix))
        }
        let files = named.map { (key: $0.0, path: $0.1, name: FileName($0.1)) }
        for (index, file) in files.enumerated() {
            for other in files[..<index] where file.name.isSame(as: other.name) {
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
        ["store.path", "store.key_file", "feeds", "feeds.google_attestation_status.file"].contains(key)
            || (key.hasPrefix("listen[") && key.hasSuffix(".unix"))
    }
}

/// Which file a path names, whether it exists or not.
private struct FileName {
    /// The folder without symbolic links, and the last component.
    private let place: String
    /// Device and inode, where it exists.
    private let identity: [UInt64]?

    init(_ path: String) {
        let last = path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? path
        let folder = ProtectedFile.folder(of: path)
        let resolved = realpath(folder, nil)
        defer { free(resolved) }
        place = (resolved.map { String(cString: $0) } ?? folder) + "/" + last
        var status = stat()
        identity =
            stat(path, &status) == 0
            ? [UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino)] : nil
    }

    func isSame(as other: FileName) -> Bool {
        place == other.place || (identity != nil && identity == other.identity)
    }
}
