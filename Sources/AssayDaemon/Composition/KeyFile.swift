import AssayCore
import AssaySchemes
import AssayService

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file with the key that wraps the ledger's secrets: 32 raw bytes, mode 0600, owned by the daemon's user.
package enum KeyFile {
    /// Reads the key. Makes the file if it is missing and `mayCreate`: the ledger has no secrets yet.
    ///
    /// - Parameter credentials: the folder in which systemd hands over credentials; see `ProtectedFile`.
    package static func open(
        _ path: String, mayCreate: Bool, credentials: String? = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    ) throws(StartupError) -> [UInt8] {
        var key = read(path, credentials)
        if key == .failure(.missing) {
            guard mayCreate else {
                throw StartupError("the key file \(path) is missing, but the ledger has secrets that only it opens; restore it")
            }
            try create(path)
            key = read(path, credentials)
        }
        switch key {
        case .success(let key) where key.count == SecretVault.secretLength: return key
        case .success: throw StartupError("the key file \(path) does not hold \(SecretVault.secretLength) bytes")
        case .failure(let error): throw StartupError("the key file \(path) \(error.description)")
        }
    }

    private static func read(_ path: String, _ credentials: String?) -> Result<[UInt8], ProtectedFileError> {
        Result { () throws(ProtectedFileError) in
            try ProtectedFile.read(path, atMost: SecretVault.secretLength + 1, credentials: credentials)
        }
    }

    /// Writes a new key durably before anything is wrapped by it. It gets its name when it is whole, so that a crash leaves
    /// no half of a key under it; if another process was faster, its key is used.
    private static func create(_ path: String) throws(StartupError) {
        let draft = path + "." + Hex.encode(SecureRandom.bytes(4))
        let descriptor = openFile(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StartupError("the key file \(path) cannot be made: \(lastError())") }
        defer {
            close(descriptor)
            unlink(draft)
        }
        let key = SecureRandom.bytes(SecretVault.secretLength)
        guard write(descriptor, key, key.count) == key.count, fsync(descriptor) == 0,
            link(draft, path) == 0 || errno == EEXIST
        else { throw StartupError("the key file \(path) cannot be written: \(lastError())") }
        let folder = openFile(ProtectedFile.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }
}

/// `open(2)`, which `KeyFile.open` hides.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
