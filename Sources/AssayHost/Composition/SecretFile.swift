#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads files that hold secrets: regular ones, which nobody else can read.
enum SecretFile {
    /// The file's bytes, one more than `limit` at most; `nil` if there is no such file.
    ///
    /// - Parameter credentials: the folder in which systemd hands over credentials (systemd.exec(5)). It lets the daemon's
    ///   user in by an access list, which the file's mode shows as readable by the group.
    static func read(
        _ path: String, limit: Int, credentials: String? = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    ) throws(StartupError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else {
            let why = errno == ELOOP ? "it is a symbolic link" : lastError()
            throw StartupError("the key file \(path) cannot be opened: \(why)")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StartupError("the key file \(path) is not a regular file")
        }
        let isCredential = credentials.map { !$0.isEmpty && folder(of: path) == $0 } ?? false
        guard status.st_mode & (isCredential ? 0o037 : 0o077) == 0 else {
            throw StartupError("the key file \(path) can be read by others; its mode must be 0600")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = bytes.withUnsafeMutableBytes { systemRead(descriptor, $0) }
        guard count >= 0 else { throw StartupError("the key file \(path) cannot be read: \(lastError())") }
        return Array(bytes.prefix(count))
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func lastError() -> String { String(cString: strerror(errno)) }
}

/// `read(2)`, which `SecretFile.read` hides.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
