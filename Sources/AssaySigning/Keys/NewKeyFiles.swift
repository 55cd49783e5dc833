import AssayCore
import AssayFiles

/// The files of a private key: the key, encrypted, and the passphrase that opens it, each of mode 0600.
package struct NewKeyFiles: Hashable, Sendable {
    package let key: String
    package let passphrase: String

    package init(key: String, passphrase: String) { (self.key, self.passphrase) = (key, passphrase) }

    /// Writes a key: its passphrase (a random one, unless the file exists: then that is used), then the key. No file is replaced, and after a
    /// failure none is left that was not there.
    ///
    /// - Returns: whether the passphrase was made.
    package func write(
        _ signing: SigningKey, iterations: Int = PasswordEncryption.iterations
    ) throws(CredentialFileError) -> Bool {
        let isNew = try makePassphrase()
        do throws(CredentialFileError) {
            let opened = try Passphrase.read(passphrase)
            let text: String
            do throws(SigningKeyError) {
                text = try SigningKeyFile.text(signing, passphrase: opened, iterations: iterations)
            } catch {
                throw CredentialFileError(key, error.description)
            }
            do throws(NewFileError) { try NewFile.create(key, Array(text.utf8), mode: 0o600) } catch {
                throw CredentialFileError(key, error == .exists ? "exists already, and is not replaced" : error.description)
            }
            return isNew
        } catch {
            if isNew { NewFile.remove(passphrase) }
            throw error
        }
    }

    /// - Returns: false if the file was there.
    private func makePassphrase() throws(CredentialFileError) -> Bool {
        do throws(NewFileError) {
            try NewFile.create(passphrase, Passphrase.random().line, mode: 0o600)
            return true
        } catch {
            guard error == .exists else { throw CredentialFileError(passphrase, error.description) }
            return false
        }
    }
}
