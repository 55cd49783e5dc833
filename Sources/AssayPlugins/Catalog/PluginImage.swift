import AssayCore
import Glibc

/// What an entry of the catalog runs: the files of its manifest, checked, the executable copied to memory, and the folder of a plugin in
/// an interpreted language copied to a private place. What was hashed is what runs.
package final class PluginImage: Sendable {
    private let entry: PluginEntry
    private let executable: SealedExecutable
    private let copy: FolderCopy?

    /// Checks the files of the manifest.
    ///
    /// - Parameters:
    ///   - copies: the folder for private copies of plugins in interpreted languages, within `plugins.state`.
    ///   - user: the user that the plugin will run as, if it is not the daemon's.
    ///   - owner: who may own the files, beside root; `nil`: owners and modes are not judged.
    /// - Throws: the first file that cannot be used: which, what was expected, and what was found.
    package init(
        _ entry: PluginEntry, copies: String, user: Sandbox.User? = nil, owner: UInt32? = geteuid()
    ) throws(PluginFileError) {
        self.entry = entry
        executable = try SealedExecutable(copying: entry.command, owner: owner)
        try Self.check(executable, entry)
        try Self.checkOthers(entry, owner: owner)
        copy = try entry.folder.map { (folder) throws(PluginFileError) in
            try FolderCopy(
                of: folder, manifest: entry.manifest.files(of: folder), in: copies, for: user, owner: owner, entry: entry)
        }
    }

    /// How it is started. Valid while the image is held, and the process may go on reading files of its folder as long.
    package func launch(by launcher: String, as user: Sandbox.User?) -> Launch {
        var sandbox = entry.sandbox
        sandbox.user = user
        var arguments = entry.arguments
        if let copy {
            sandbox.readable.append(copy.path)
            arguments = arguments.map { $0.replacing("{folder}", with: copy.path) }
        }
        return Launch(
            launcher: launcher, executable: executable.descriptor, arguments: [entry.name] + arguments, sandbox: sandbox)
    }

    // MARK: Checks

    /// What keeps the entry from being started, each file once; nothing is made or changed.
    ///
    /// - Parameter owner: the daemon's user.
    package static func problems(of entry: PluginEntry, owner: UInt32) -> [PluginFileError] {
        var problems: [PluginFileError] = []
        do throws(PluginFileError) { try check(try SealedExecutable(copying: entry.command, owner: owner), entry) } catch {
            problems.append(error)
        }
        do throws(PluginFileError) { try checkOthers(entry, owner: owner) } catch { problems.append(error) }
        guard let folder = entry.folder else { return problems }
        var digests = PluginFolder.Digests()
        do throws(PluginFileError) { try PluginFolder.read(folder, owner: owner, into: &digests) } catch {
            return problems + [error]
        }
        let pinned = entry.manifest.files(of: folder)
        for name in Set(pinned.keys).union(digests.files.keys).sorted() where pinned[name] != digests.files[name] {
            let path = folder + "/" + name
            switch (pinned[name], digests.files[name]) {
            case (nil, _): problems.append(PluginFileError(path, PluginManifest.notPinned(entry)))
            case (_, nil): problems.append(PluginFileError(path, "is in the manifest and missing"))
            case (let expected?, let found?):
                problems.append(PluginFileError(path, PluginManifest.mismatch(entry, expected: expected, found: found)))
            }
        }
        return problems
    }

    private static func check(_ executable: SealedExecutable, _ entry: PluginEntry) throws(PluginFileError) {
        try check(executable.sha256, of: entry.command, entry)
        guard let interpreter = executable.interpreter else { return }
        guard entry.sandbox.executable.contains(where: { contains($0, interpreter) }) else {
            throw PluginFileError(
                entry.command,
                "needs the ELF interpreter \(interpreter): want it in \"powers.execute\", and its libraries' folders in \"powers.read\""
            )
        }
    }

    /// The files of the manifest beside command and folder, and the files among the arguments.
    private static func checkOthers(_ entry: PluginEntry, owner: UInt32?) throws(PluginFileError) {
        let others = Set(entry.pinnedPaths + entry.manifest.files.keys.filter { !entry.isInFolder($0) })
        for path in others.sorted() where path != entry.command {
            try check(try PluginManifest.digest(of: path, owner: owner), of: path, entry)
        }
    }

    private static func check(_ found: [UInt8], of path: String, _ entry: PluginEntry) throws(PluginFileError) {
        guard let expected = entry.manifest.files[path] else { throw PluginFileError(path, PluginManifest.notPinned(entry)) }
        guard expected == found else {
            throw PluginFileError(path, PluginManifest.mismatch(entry, expected: expected, found: found))
        }
    }

    /// Whether a path that the catalog opens is that of the file or of a folder above it, by any name.
    private static func contains(_ open: String, _ path: String) -> Bool {
        func real(_ path: String) -> String {
            guard let resolved = realpath(path, nil) else { return path }
            defer { free(resolved) }
            return String(cString: resolved)
        }
        let (open, path) = (real(open), real(path))
        return open == "/" || open == path || path.hasPrefix(open + "/")
    }
}
