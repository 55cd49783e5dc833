import AssayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Makes a file that does not exist yet.
package enum NewFile {
    /// Writes a file durably. It gets its name when it is whole, so that a crash leaves no half of it under the name, and it never
    /// replaces a file.
    ///
    /// - Parameter mode: the permissions, from which the process's umask takes.
    package static func create(_ path: String, _ bytes: some Collection<UInt8>, mode: UInt32) throws(NewFileError) {
        let (draft, descriptor) = try makeDraft(of: path, bytes, mode: mode)
        defer {
            close(descriptor)
            unlink(draft)
        }
        try publish(descriptor, draft, as: path)
    }

    /// Takes a file back that was made, where what belongs to it could not be.
    package static func remove(_ path: String) { unlink(path) }

    /// Makes a file under another name and writes it, without flushing it to the disk. The caller closes and removes it.
    static func makeDraft(
        of path: String, _ bytes: some Collection<UInt8>, mode: UInt32
    ) throws(NewFileError) -> (path: String, descriptor: Int32) {
        let draft = path + "." + Hex.encode(SecureRandom.bytes(4))
        let descriptor = openFile(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
        guard descriptor >= 0 else { throw .failed("cannot be made: \(lastError())") }
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else {
                let why = lastError()
                close(descriptor)
                unlink(draft)
                throw .failed("cannot be written: \(why)")
            }
            rest = rest.dropFirst(max(count, 0))
        }
        return (draft, descriptor)
    }

    /// Syncs a whole draft and gives it its name in place of its own, durably. Throws `.exists` if the name is taken.
    static func publish(_ descriptor: Int32, _ draft: String, as path: String) throws(NewFileError) {
        guard fsync(descriptor) == 0 else { throw .failed("cannot be written: \(lastError())") }
        guard link(draft, path) == 0 else {
            if errno == EEXIST { throw .exists }
            throw .failed("cannot be named: \(lastError())")
        }
        unlink(draft)
        syncFolder(of: path)
    }

    /// Puts the name of a file on the disk, where the file system can.
    static func syncFolder(of path: String) {
        let folder = openFile(ProtectedFile.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    static func lastError() -> String { String(cString: strerror(errno)) }
}

/// Why a file was not made.
package enum NewFileError: Error, Hashable, Sendable {
    case exists
    /// What is wrong, to stand behind "the file X".
    case failed(String)

    package var description: String {
        switch self {
        case .exists: "exists already"
        case .failed(let why): why
        }
    }
}

/// `open(2)`, with a mode on each platform.
func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
