import AssayCore
import AssayFiles
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

    /// Writes a new key durably before anything is wrapped by it; if another process was faster, its key is used.
    private static func create(_ path: String) throws(StartupError) {
        do throws(NewFileError) {
            try NewFile.create(path, SecureRandom.bytes(SecretVault.secretLength), mode: 0o600)
        } catch {
            guard error == .exists else { throw StartupError("the key file \(path) \(error.description)") }
        }
    }
}
