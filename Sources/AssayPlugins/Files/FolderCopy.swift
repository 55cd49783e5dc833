import AssayCore
import Crypto
import Foundation
import Glibc
import Synchronization

/// A private copy of a plugin's folder, from which it runs: what was hashed stays what it was, whatever becomes of the original.
///
/// The copy is shared by all who have the same files, and removed when the last of them releases it.
final class FolderCopy: Sendable {
    let path: String

    /// The copies that this process uses or makes, and how often.
    private static let used = Mutex<[String: Int]>([:])
    /// The folders whose remains of earlier processes were removed.
    private static let cleaned = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - folder: the original.
    ///   - manifest: SHA-256 of its files, by their paths relative to the folder.
    ///   - copies: the folder for copies; made if it is missing.
    ///   - user: who has to read the copy, if that is not the daemon's user.
    init(
        of folder: String, manifest: [String: [UInt8]], in copies: String, for user: Sandbox.User?,
        owner: UInt32? = geteuid(), entry: PluginEntry
    ) throws(PluginFileError) {
        var name = FieldDigest("assay.plugin.folder.v1")
        for (file, digest) in manifest.sorted(by: { $0.key < $1.key }) {
            name.append(file)
            name.append(digest)
        }
        name.append(UInt64(user?.group ?? .max))
        let path = copies + "/" + Hex.encode(name.finalize())
        try Self.makeFolder(copies, isOpen: user != nil)
        Self.removeRemains(in: copies)
        Self.used.withLock { $0[path, default: 0] += 1 }
        // From here on the destructor runs, also if an error is thrown.
        self.path = path
        // A copy that is whole is used again; one that is not as it was made is replaced.
        if Self.isWhole(path, manifest, user) { return }
        let draft = copies + "/." + Hex.encode(SecureRandom.bytes(16))
        Self.used.withLock { $0[draft] = 1 }
        defer {
            Self.remove(draft)
            Self.used.withLock { $0[draft] = nil }
        }
        var sink = Writer(draft: draft, folder: folder, manifest: manifest, group: user?.group, entry: entry)
        try sink.folder("")
        try PluginFolder.read(folder, owner: owner, into: &sink)
        if let missing = manifest.keys.sorted().first(where: { !sink.found.contains($0) }) {
            throw PluginFileError("\(folder)/\(missing)", "is in the manifest and missing")
        }
        try Self.exchange(draft, for: path, manifest, user)
    }

    deinit {
        Self.used.withLock { used in
            let count = (used[path] ?? 1) - 1
            used[path] = count > 0 ? count : nil
            // Within the lock, so that no other image begins to use it meanwhile.
            if count <= 0 { Self.remove(path) }
        }
    }

    // MARK: Making

    private static func exchange(
        _ draft: String, for path: String, _ manifest: [String: [UInt8]], _ user: Sandbox.User?
    ) throws(PluginFileError) {
        for _ in 0..<2 {
            if rename(draft, path) == 0 { return }
            guard errno == EEXIST || errno == ENOTEMPTY else { break }
            // Another start made it meanwhile, or an earlier one was changed.
            if isWhole(path, manifest, user) { return }
            remove(path)
        }
        throw PluginFileError(path, "cannot be made: \(PluginFileError.text(errno))")
    }

    private static func makeFolder(_ path: String, isOpen: Bool) throws(PluginFileError) {
        let parent = (path as NSString).deletingLastPathComponent
        if mkdir(parent, isOpen ? 0o711 : 0o700) != 0, errno == EEXIST, isOpen {
            var status = stat()
            if stat(parent, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o011 != 0o011 {
                chmod(parent, status.st_mode & 0o7777 | 0o011)
            }
        }
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw PluginFileError(path, "cannot be made: \(PluginFileError.text(errno))")
        }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw PluginFileError(path, "cannot be opened as a folder: \(PluginFileError.text(errno))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else {
            throw PluginFileError(path, "belongs to another user")
        }
        // A user of the plugins' own has to come through, without seeing what else is there.
        guard fchmod(descriptor, isOpen ? 0o711 : 0o700) == 0 else {
            throw PluginFileError(path, "cannot be closed to others: \(PluginFileError.text(errno))")
        }
    }

    /// Removes what earlier processes left.
    private static func removeRemains(in copies: String) {
        guard cleaned.withLock({ $0.insert(copies).inserted }) else { return }
        used.withLock { used in
            for name in (try? FileManager.default.contentsOfDirectory(atPath: copies)) ?? []
            where used[copies + "/" + name] == nil {
                remove(copies + "/" + name)
            }
        }
    }

    private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Whether a copy has exactly the files of the manifest, and nobody else can have changed them.
    private static func isWhole(_ path: String, _ manifest: [String: [UInt8]], _ user: Sandbox.User?) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & 0o7777 == (user == nil ? 0o700 : 0o750),
            status.st_gid == user?.group ?? status.st_gid
        else { return false }
        var digests = PluginFolder.Digests()
        guard (try? PluginFolder.read(path, owner: geteuid(), into: &digests)) != nil else { return false }
        return digests.files == manifest
    }

    /// Writes the copy, and stops at the first file that is not as pinned.
    private struct Writer: PluginFolder.Sink {
        let draft: String
        let folder: String
        let manifest: [String: [UInt8]]
        let group: UInt32?
        let entry: PluginEntry
        var found: Set<String> = []
        private var descriptor: CInt = -1

        init(draft: String, folder: String, manifest: [String: [UInt8]], group: UInt32?, entry: PluginEntry) {
            (self.draft, self.folder, self.manifest, self.group, self.entry) = (draft, folder, manifest, group, entry)
        }

        mutating func folder(_ name: String) throws(PluginFileError) {
            let path = name.isEmpty ? draft : draft + "/" + name
            guard mkdir(path, 0o700) == 0, chmod(path, group == nil ? 0o700 : 0o750) == 0,
                group.map({ chown(path, .max, $0) == 0 }) ?? true
            else { throw failed(path) }
        }

        mutating func begin(_ name: String) throws(PluginFileError) {
            guard manifest[name] != nil else {
                throw PluginFileError("\(folder)/\(name)", PluginManifest.notPinned(entry))
            }
            descriptor = open("\(draft)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw failed("\(draft)/\(name)") }
        }

        mutating func write(_ bytes: ArraySlice<UInt8>) throws(PluginFileError) {
            do throws(PluginFileError) {
                try FileWriting.write(bytes, to: descriptor, draft)
            } catch {
                close(descriptor)
                throw error
            }
        }

        mutating func end(_ name: String, sha256: [UInt8]) throws(PluginFileError) {
            defer { close(descriptor) }
            let isReadable =
                group.map { fchown(descriptor, .max, $0) == 0 && fchmod(descriptor, 0o440) == 0 }
                ?? (fchmod(descriptor, 0o400) == 0)
            guard isReadable else { throw failed("\(draft)/\(name)") }
            guard manifest[name] == sha256 else {
                throw PluginFileError(
                    "\(folder)/\(name)", PluginManifest.mismatch(entry, expected: manifest[name] ?? [], found: sha256))
            }
            found.insert(name)
        }

        private func failed(_ path: String) -> PluginFileError {
            PluginFileError(path, "cannot be copied: \(PluginFileError.text(errno))")
        }
    }
}
