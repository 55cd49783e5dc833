#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file or pipe of which no more is read than can be of use: who names the wrong one is told so at once.
package enum BoundedFile {
    package static func read(_ path: String, atMost limit: Int) throws(BoundedFileProblem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BoundedFileProblem(errno) }
        defer { close(descriptor) }
        return try read(descriptor, atMost: limit)
    }

    /// Reads to the end of what is open already, such as standard input.
    package static func read(_ descriptor: Int32, atMost limit: Int) throws(BoundedFileProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = readFile(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw BoundedFileProblem(errno) }
            guard count > 0 else { return bytes }
            guard count <= limit - bytes.count else { throw BoundedFileProblem(description: "is larger than \(limit) bytes") }
            bytes += piece.prefix(count)
        }
    }
}

/// Why a file is not read, to stand behind its name.
package struct BoundedFileProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    fileprivate init(description: String) { self.description = description }

    fileprivate init(_ code: Int32) {
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
