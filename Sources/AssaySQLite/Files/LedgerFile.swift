import AssayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The ledger as a file: it and the files beside it are readable by their owner only.
package enum LedgerFile {
    static let mode: mode_t = 0o600

    /// A file beside the ledger. The raw value follows the ledger's name.
    package enum Side: String, CaseIterable, Sendable {
        /// SQLite's write-ahead log.
        case log = "-wal"
        /// SQLite's index of the log.
        case index = "-shm"
        /// The lock of the ledger's owner.
        case lock = ".lock"

        /// Where it lies: like SQLite, beside the file that symbolic links lead to.
        package func path(of ledger: String) -> String { LedgerFile.resolved(ledger) + rawValue }
    }

    // MARK: Making and opening

    /// Opens the file for reading and writing, and creates it if there is none and it may. The caller closes the descriptor: see
    /// `LedgerLock` for when it may.
    static func open(_ path: String, mayCreate: Bool) throws(LedgerError) -> Int32 {
        let descriptor = openFile(path, O_RDWR | (mayCreate ? O_CREAT : 0) | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw unavailable(path) }
        return descriptor
    }

    /// Creates the file if there is none and it may.
    static func make(_ path: String, mayCreate: Bool = true) throws(LedgerError) {
        _ = close(try open(path, mayCreate: mayCreate))
    }

    /// Takes group and others out of the modes, and puts the file's name on disk. SQLite gives the files beside it the mode of the
    /// main file.
    static func protect(_ path: String) throws(LedgerError) {
        // `open` obeys the umask only downwards, and an older file may have any mode.
        for file in secretFiles(of: path) where chmod(file, mode) != 0 {
            // ENOENT: not there yet. EPERM: owned by another user who granted access on purpose. EROFS: told later.
            guard [ENOENT, EPERM, EROFS].contains(errno) else { throw unavailable(file) }
        }
        // A file exists for good only when its directory is on disk.
        let descriptor = openFile(directory(of: resolved(path)), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unavailable(path) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw unavailable(path) }
    }

    // MARK: What stands there

    /// The first of the ledger's files that others than its owner may read or write, and its mode; `nil` if there is none.
    package static func wideFile(of path: String) -> (path: String, mode: UInt32)? {
        for file in secretFiles(of: path) {
            var status = stat()
            // What is no regular file is refused whatever its mode is: see `oddSideFile`.
            guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { continue }
            return (file, UInt32(status.st_mode & 0o777))
        }
        return nil
    }

    /// Why the ledger cannot be opened if it is a symbolic link that leads nowhere by leading back to itself; `nil` otherwise.
    package static func linkLoop(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) != 0, errno == ELOOP else { return nil }
        return "\(path) is a symbolic link that leads back to itself, or through too many others"
    }

    /// Why a file beside the ledger cannot be used, for the first of which this holds: SQLite follows no symbolic links there, and
    /// neither does the lock.
    package static func oddSideFile(of path: String) -> String? {
        for side in Side.allCases {
            let file = side.path(of: path)
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            return status.st_mode & S_IFMT == S_IFLNK
                ? "\(file) is a symbolic link, which is not followed" : "\(file) is not a regular file"
        }
        return nil
    }

    /// Why the ledger is not opened under one of several names (hard links); `nil` if it has one name.
    package static func otherNames(of path: String) -> String? {
        guard let names = FileIdentity.look(at: path)?.names, names != 1 else { return nil }
        return
            "\(path) has \(names) names (hard links): under another one it could have another owner and another log; copy the "
            + "file in place of linking it"
    }

    /// What holds records: the ledger, its log, and the log's index.
    private static func secretFiles(of path: String) -> [String] {
        [path] + [Side.log, .index].map { $0.path(of: path) }
    }

    // MARK: Paths

    /// The path without symbolic links, as far as it exists. Of a link to nothing, the path at which a file would be created.
    package static func resolved(_ path: String) -> String { resolved(path, links: 40) }

    /// - Parameter links: how many links to nothing may follow one another; the kernel follows 40.
    private static func resolved(_ path: String, links: Int) -> String {
        if let real = real(path) { return real }
        if links > 0, let target = target(of: path) {
            let isAbsolute = target.hasPrefix("/")
            return resolved(isAbsolute ? target : directory(of: path) + "/" + target, links: links - 1)
        }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let folder = real(directory(of: path)) else { return path }
        return folder + (folder == "/" ? "" : "/") + name
    }

    private static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Where a symbolic link leads.
    private static func target(of path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Throws if there is no directory for the file.
    static func checkDirectory(of path: String) throws(LedgerError) {
        let directory = directory(of: resolved(path))
        guard access(directory, F_OK) == 0 else { throw .unavailable("the directory \(directory) does not exist") }
    }

    /// The folder of a file, as its path says.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func unavailable(_ path: String) -> LedgerError {
        .unavailable("\(path): \(String(cString: strerror(errno)))")
    }
}

/// `open(2)`, which `LedgerFile.open` hides.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
