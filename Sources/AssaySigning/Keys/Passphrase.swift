import AssayCore
import AssayFiles

/// A passphrase, which opens an encrypted key. It comes from a file, never from the environment or the command line.
package struct Passphrase: Sendable {
    /// OpenSSL reads as many from a file.
    static let limit = 1023

    /// 1 to 1023 bytes, without a line feed.
    let bytes: [UInt8]

    /// `nil` for bytes that are no passphrase.
    package init?(_ bytes: [UInt8]) {
        guard (1...Self.limit).contains(bytes.count), !bytes.contains(UInt8(ascii: "\n")) else { return nil }
        self.bytes = bytes
    }

    /// Reads a file of mode 0600. One line feed at its end is no part of the passphrase, as OpenSSL has it.
    package static func read(_ path: String) throws(CredentialFileError) -> Passphrase {
        var bytes: [UInt8]
        do throws(ProtectedFileError) {
            bytes = try ProtectedFile.read(path, atMost: limit + 2)
        } catch {
            throw CredentialFileError(path, error.description)
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard let passphrase = Passphrase(bytes) else {
            throw CredentialFileError(path, "does not hold a passphrase: one line of 1 to \(limit) bytes")
        }
        return passphrase
    }

    /// A new passphrase: 32 random bytes, in base64url.
    package static func random() -> Passphrase {
        Passphrase(checked: Array(Base64.url.encode(SecureRandom.bytes(32)).utf8))
    }

    private init(checked bytes: [UInt8]) { self.bytes = bytes }

    /// The content of its file.
    package var line: [UInt8] { bytes + [UInt8(ascii: "\n")] }
}
