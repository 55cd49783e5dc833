import AssayCore
import AssayService

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file with the key that wraps the ledger's secrets: 32 raw bytes, mode 0600, owned by whoever runs the daemon.
package enum KeyFile {
    /// Reads the key. Makes the file if it is missing and `mayCreate`: the ledger has no secrets yet.
    ///
    /// - Parameter credentials: the folder in which systemd hands over credentials; see `SecretFile`.
    package static func open(
        _ path: String, mayCreate: Bool, credentials: String? = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    ) throws(StartupError) -> [UInt8] {
        var key = try SecretFile.read(path, limit: SecretVault.secretLength, credentials: credentials)
        if key == nil {
            guard mayCreate else {
                throw StartupError("the key file \(path) is missing, but the ledger has secrets that only it opens; restore it")
            }
            try create(path)
            key = try SecretFile.read(path, limit: SecretVault.secretLength, credentials: credentials)
        }
        guard let key, key.count == SecretVault.secretLength else {
            throw StartupError("the key file \(path) does not hold \(SecretVault.secretLength) bytes")
        }
        return key
    }

    /// Writes a new key durably before anything is wrapped by it. It gets its name when it is whole, so that a crash leaves
    /// no half of a key under it; if somebody else was faster, theirs is the key.
    private static func create(_ path: String) throws(StartupError) {
        let draft = path + "." + Hex.encode(SecureRandom.bytes(4))
        let descriptor = openFile(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StartupError("the key file \(path) cannot be made: \(SecretFile.lastError())") }
        defer {
            close(descriptor)
            unlink(draft)
        }
        let key = SecureRandom.bytes(SecretVault.secretLength)
        guard write(descriptor, key, key.count) == key.count, fsync(descriptor) == 0,
            link(draft, path) == 0 || errno == EEXIST
        else { throw StartupError("the key file \(path) cannot be written: \(SecretFile.lastError())") }
        let folder = openFile(SecretFile.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }
}

/// `open(2)`, which `KeyFile.open` hides.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
