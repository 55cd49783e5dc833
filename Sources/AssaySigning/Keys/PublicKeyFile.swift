import AssayCore
import AssayEncoding
import AssayFiles

/// The file with a public key: a SubjectPublicKeyInfo in PEM, as `openssl pkey -pubout` writes it.
package enum PublicKeyFile {
    /// In bytes. A key of P-384 has below 300.
    private static let sizeLimit = 16 * 1024
    private static let label = "PUBLIC KEY"

    /// - Returns: SubjectPublicKeyInfo (DER).
    package static func read(_ path: String) throws(CredentialFileError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(BoundedFileError) { bytes = try BoundedFile.read(path, atMost: sizeLimit) } catch {
            throw CredentialFileError(path, error.description)
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            let blocks = try? PEM.decode(text, label: label, code: .unsupportedKey), let key = blocks.first, blocks.count == 1
        else {
            throw CredentialFileError(path, "is no public key in PEM")
        }
        return key
    }

    /// The PEM text of a SubjectPublicKeyInfo.
    package static func text(_ publicKey: [UInt8]) -> String { PEM.encode(publicKey, label: label) }
}
