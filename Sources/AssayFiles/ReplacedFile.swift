import AssayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Makes or replaces a file as a whole.
package enum ReplacedFile {
    /// Writes a file of mode 0600 under another name and renames it: a reader sees the old content or the new one. The content is not
    /// flushed to the disk, so that after a power failure the file may be empty or cut; who reads it checks that.
    package static func write(_ path: String, _ bytes: [UInt8]) throws(NewFileError) {
        let draft = path + "." + Hex.encode(SecureRandom.bytes(4))
        let descriptor = openFile(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .failed("cannot be made: \(lastError())") }
        defer {
            close(descriptor)
            unlink(draft)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.write(descriptor, $0) }
            guard count > 0 || errno == EINTR else { throw .failed("cannot be written: \(lastError())") }
            rest = rest.dropFirst(max(count, 0))
        }
        guard rename(draft, path) == 0 else { throw .failed("cannot be named: \(lastError())") }
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        writeFile(descriptor, bytes.baseAddress, bytes.count)
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }
}

/// `open(2)`, with a mode on each platform.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

/// `write(2)`, which `ReplacedFile.write` hides.
private func writeFile(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
