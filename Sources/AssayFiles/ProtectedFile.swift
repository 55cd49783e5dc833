#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file with a secret: a regular file, not a symbolic link, that only its owner can read. The owner is the process's user; root reads
/// those of all users, and credentials of systemd belong to root.
package enum ProtectedFile {
    /// Reads at most so many bytes.
    ///
    /// - Parameter credentials: the folder in which systemd hands over credentials (systemd.exec(5)). It lets the daemon's
    ///   user in by an access list, which the file's mode shows as readable by the group.
    package static func read(
        _ path: String, atMost limit: Int,
        credentials: String? = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    ) throws(ProtectedFileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw .missing }
            throw .unusable(
                "cannot be opened: " + (errno == ELOOP ? "it is a symbolic link" : String(cString: strerror(errno))))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unusable("is not a regular file")
        }
        guard geteuid() == 0 || status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .unusable("belongs to another user")
        }
        let isCredential = credentials.map { !$0.isEmpty && folder(of: path) == $0 } ?? false
        guard status.st_mode & (isCredential ? 0o037 : 0o077) == 0 else {
            throw .unusable("can be read by others; its mode must be 0600")
        }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = readFile(descriptor, &bytes, limit)
        guard count >= 0 else { throw .unusable("cannot be read: \(String(cString: strerror(errno)))") }
        return Array(bytes.prefix(count))
    }

    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// Why a file with a secret is not read.
package enum ProtectedFileError: Error, Hashable, Sendable {
    case missing
    /// What is wrong, to stand behind "the file X".
    case unusable(String)

    package var description: String {
        switch self {
        case .missing: "is missing"
        case .unusable(let why): why
        }
    }
}

/// `read(2)`, which `ProtectedFile.read` hides.
private func readFile(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
