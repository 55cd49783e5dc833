import AssayCore
import Crypto
import Glibc

/// SHA-256 of every file that a plugin runs, by absolute path.
package struct PluginManifest: Hashable, Sendable {
    package var files: [String: [UInt8]]
    package init(_ files: [String: [UInt8]]) { self.files = files }

    /// SHA-256 over paths and digests, in the order of the paths: identifies what runs.
    package var digest: [UInt8] {
        var hash = FieldDigest("assay.plugin.manifest.v1")
        for (path, digest) in files.sorted(by: { $0.key < $1.key }) {
            hash.append(path)
            hash.append(digest)
        }
        return hash.finalize()
    }

    /// The files of a folder by their paths relative to it.
    func files(of folder: String) -> [String: [UInt8]] {
        let prefix = folder + "/"
        return Dictionary(
            files.compactMap { $0.key.hasPrefix(prefix) ? (String($0.key.dropFirst(prefix.count)), $0.value) : nil },
            uniquingKeysWith: { first, _ in first })
    }
}

extension PluginManifest {
    /// The manifest that the files of an entry have now: its command, all files of its folder, the files among its arguments, and
    /// those that its manifest names besides.
    ///
    /// - Parameter owner: who may own the files, beside root; `nil`: owners and modes are not judged.
    package static func current(of entry: PluginEntry, owner: UInt32?) throws(PluginFileError) -> PluginManifest {
        var manifest = PluginManifest([:])
        if let folder = entry.folder {
            var digests = PluginFolder.Digests()
            try PluginFolder.read(folder, owner: owner, into: &digests)
            for (name, digest) in digests.files { manifest.files[folder + "/" + name] = digest }
        }
        for path in entry.pinnedPaths where manifest.files[path] == nil {
            manifest.files[path] = try digest(of: path, owner: owner, isExecutable: path == entry.command)
        }
        for path in entry.manifest.files.keys where manifest.files[path] == nil && !entry.isInFolder(path) {
            // What is gone need not be pinned any more.
            guard access(path, F_OK) == 0 else { continue }
            manifest.files[path] = try digest(of: path, owner: owner)
        }
        return manifest
    }

    static func digest(of path: String, owner: UInt32?, isExecutable: Bool = false) throws(PluginFileError) -> [UInt8] {
        let file = try TrustedFile(path, owner: owner)
        guard !file.isFolder else { throw PluginFileError(path, "is a folder, want a file") }
        var hash = SHA256()
        var isFirst = true
        try file.read(path) { (chunk) throws(PluginFileError) in
            if isFirst, isExecutable { _ = try SealedExecutable.header(chunk, path) }
            isFirst = false
            hash.update(data: chunk)
        }
        if isFirst, isExecutable { throw PluginFileError(path, "is empty") }
        return Array(hash.finalize())
    }

    static func notPinned(_ entry: PluginEntry) -> String {
        "is not in the manifest: if it belongs to the plugin, run assay plugin pin \(entry.file)"
    }

    static func mismatch(_ entry: PluginEntry, expected: [UInt8], found: [UInt8]) -> String {
        "has the SHA-256 \(Hex.encode(found)), and the manifest says \(Hex.encode(expected)): if the change is wanted, run "
            + "assay plugin pin \(entry.file)"
    }
}

extension PluginEntry {
    /// What must be in the manifest outside of the folder: the command, and arguments that are files.
    var pinnedPaths: [String] {
        [command]
            + arguments.filter { argument in
                var status = stat()
                return argument.hasPrefix("/") && !isInFolder(argument) && stat(argument, &status) == 0
                    && status.st_mode & S_IFMT == S_IFREG
            }
    }

    func isInFolder(_ path: String) -> Bool { folder.map { path.hasPrefix($0 + "/") } ?? false }
}
