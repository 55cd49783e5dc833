#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file with a token's PIN: a regular file, no symbolic link, that only its owner can read.
enum PINFile {
    /// In bytes; PINs are far shorter.
    static let limit = 256

    /// The PIN, 1 to 256 bytes, without one newline at the end.
    ///
    /// - Parameter credentials: the folder in which systemd hands over credentials (systemd.exec(5)), whose files the group may read.
    static func read(
        _ path: String, credentials: String? = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    ) throws(TokenError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw unusable(
                path, errno == ELOOP ? "is a symbolic link" : "cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unusable(path, "is not a regular file")
        }
        let isCredential = credentials.map { !$0.isEmpty && path == "\($0)/\(path.split(separator: "/").last ?? "")" } ?? false
        guard status.st_mode & (isCredential ? 0o037 : 0o077) == 0 else {
            throw unusable(path, "can be read by others; its mode must be 0600")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 2)
        let count = readFile(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw unusable(path, "cannot be read: \(String(cString: strerror(errno)))") }
        bytes.removeSubrange(count...)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw unusable(path, "is empty") }
        guard bytes.count <= limit else { throw unusable(path, "is longer than \(limit) bytes") }
        return bytes
    }

    private static func unusable(_ path: String, _ why: String) -> TokenError {
        TokenError(.pinUnusable, "the PIN file \(path) \(why)")
    }
}

/// `read(2)`, which `PINFile.read` hides.
private func readFile(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
