import AssayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The ledger as a file: it and the files beside it (`-wal`, `-shm`) are readable by their owner only.
enum LedgerFile {
    static let mode: mode_t = 0o600

    /// Creates the file if there is none and it may, and takes group and others out of the modes if there is one. SQLite gives the
    /// files beside it the mode of the main file.
    static func prepare(_ path: String, mayCreate: Bool = true) throws(LedgerError) {
        let descriptor = open(path, O_RDWR | (mayCreate ? O_CREAT : 0) | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw unavailable(path, directoryExists: exists(directory(of: path))) }
        defer { _ = close(descriptor) }
        // `open` obeys the umask only downwards, and an older file may have any mode.
        for file in files(of: path) where chmod(file, mode) != 0 {
            // ENOENT: not there yet. EPERM: owned by somebody else who granted access on purpose. EROFS: told later.
            guard [ENOENT, EPERM, EROFS].contains(errno) else { throw unavailable(file, directoryExists: true) }
        }
        try syncDirectory(of: path)
    }

    /// The ledger and what lies beside it.
    private static func files(of path: String) -> [String] {
        let resolved = resolved(path)
        return [path, resolved + "-wal", resolved + "-shm"]
    }

    /// The first of the ledger's files that others than its owner may read or write, and its mode.
    static func wideFile(of path: String) -> (path: String, mode: UInt32)? {
        for file in files(of: path) {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            return (file, UInt32(status.st_mode & 0o777))
        }
        return nil
    }

    /// A file exists for good only when its directory is on disk.
    private static func syncDirectory(of path: String) throws(LedgerError) {
        let descriptor = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unavailable(path, directoryExists: true) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw unavailable(path, directoryExists: true) }
    }

    /// The path without symbolic links, as far as it exists.
    static func resolved(_ path: String) -> String {
        if let real = real(path) { return real }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let folder = real(directory(of: path)) else { return path }
        return folder + (folder == "/" ? "" : "/") + name
    }

    private static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Throws if there is no directory for the file.
    static func checkDirectory(of path: String) throws(LedgerError) {
        guard exists(directory(of: path)) else { throw unavailable(path, directoryExists: false) }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func unavailable(_ path: String, directoryExists: Bool) -> LedgerError {
        guard directoryExists else { return .unavailable("the directory \(directory(of: path)) does not exist") }
        return .unavailable("\(path): \(String(cString: strerror(errno)))")
    }
}
