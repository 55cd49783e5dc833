#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads a file or pipe up to a limit, so that a wrong name is an error at once.
package enum BoundedFile {
    /// - Parameter isRegular: whether anything but a regular file is an error. A pipe without a writer would block the caller.
    package static func read(
        _ path: String, atMost limit: Int, isRegular: Bool = false
    ) throws(BoundedFileError) -> [UInt8] {
        let descriptor = try isRegular ? openRegular(path).descriptor : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BoundedFileError(errno) }
        defer { close(descriptor) }
        return try read(descriptor, atMost: limit)
    }

    /// Opens a regular file for reading; the caller closes it. For files that are read in pieces, without a limit.
    package static func openRegular(_ path: String) throws(BoundedFileError) -> (descriptor: Int32, size: Int) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw BoundedFileError(errno) }
        var status = stat()
        do throws(BoundedFileError) {
            guard fstat(descriptor, &status) == 0 else { throw BoundedFileError(errno) }
            if status.st_mode & S_IFMT == S_IFDIR { throw BoundedFileError(EISDIR) }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw BoundedFileError(description: "cannot be read: it is not a regular file")
            }
        } catch {
            close(descriptor)
            throw error
        }
        return (descriptor, Int(status.st_size))
    }

    /// Why a file cannot be opened for reading; `nil` if it can. For files that are read in pieces, without a limit.
    package static func problem(at path: String) -> BoundedFileError? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return BoundedFileError(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return BoundedFileError(errno) }
        return status.st_mode & S_IFMT == S_IFDIR ? BoundedFileError(EISDIR) : nil
    }

    /// Reads to the end of what is open already, such as standard input.
    package static func read(_ descriptor: Int32, atMost limit: Int) throws(BoundedFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = readFile(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw BoundedFileError(errno) }
            guard count > 0 else { return bytes }
            guard count <= limit - bytes.count else { throw BoundedFileError(description: "is larger than \(limit) bytes") }
            bytes += piece.prefix(count)
        }
    }
}

/// Why a file is not read, to stand behind its name.
package struct BoundedFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// The error number of the system call that failed (errno(3)); 0 if none failed.
    package let code: Int32

    fileprivate init(description: String) { (self.description, code) = (description, 0) }

    /// - Parameter code: an error number.
    package init(_ code: Int32) {
        self.code = code
        description =
            switch code {
            case ENOENT: "cannot be read: there is no such file"
            case EISDIR: "cannot be read: it is a folder"
            case EACCES: "cannot be read: this user may not"
            default: "cannot be read: \(String(cString: strerror(code)))"
            }
    }
}

/// `read(2)`, which `BoundedFile.read` hides.
private func readFile(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
