import AssayCertificates
package import AssayCore
import AssayEncoding
import AssayFiles
package import AssaySigning
import Foundation

/// A CA as the configuration names it.
package struct AuthoritySettings: Hashable, Sendable {
    /// Where the private key is.
    package enum Key: Hashable, Sendable {
        /// A PKCS#8 file, and the file with its passphrase; `nil`: the key is not encrypted.
        case file(String, passphraseFile: String?)
        case pkcs11(TokenKeySettings)
    }

    package var name: String
    /// PEM: the CA's certificate, then those above it up to the root.
    package var certificateFile: String
    /// What the file had when the configuration was read; `nil`: it is read when the CA is opened.
    package var certificates: [UInt8]?
    package var key: Key
    package var signsFrom: Timestamp?

    package init(
        name: String, certificateFile: String, certificates: [UInt8]? = nil, key: Key, signsFrom: Timestamp? = nil
    ) {
        (self.name, self.certificateFile, self.certificates) = (name, certificateFile, certificates)
        (self.key, self.signsFrom) = (key, signsFrom)
    }
}

extension AuthoritySettings {
    /// The CA's certificates. Throws with the file that is wrong.
    package func chain() throws(CredentialFileError) -> AuthorityChain {
        guard let certificates else { return try AuthorityChain.read(certificateFile) }
        return try AuthorityChain(certificates, of: certificateFile)
    }

    /// Reads the files of the CA. A key in a token is not asked for.
    ///
    /// - Parameter openToken: gives the signer of a key in a token, whose public key (SubjectPublicKeyInfo, DER) the chain tells.
    package func open(
        openToken: (TokenKeySettings, [UInt8]) throws(CredentialFileError) -> any Signer
    ) throws(CredentialFileError) -> IssuingAuthority {
        let chain = try chain()
        let signer: any Signer
        let keyFile: String
        switch key {
        case .file(let path, let passphraseFile):
            var passphrase: Passphrase?
            if let passphraseFile { passphrase = try Passphrase.read(passphraseFile) }
            signer = FileSigner(
                try SigningKeyFile.read(
                    path, passphrase: passphrase, allowsPlain: passphraseFile == nil, of: SigningAlgorithm.ofAuthorities))
            keyFile = path
        case .pkcs11(let token):
            signer = try openToken(token, Array(chain.issuer.publicKey.der))
            keyFile = token.module
        }
        do throws(AuthorityChainError) {
            return try IssuingAuthority(name: name, chain: chain, signer: signer, signsFrom: signsFrom)
        } catch {
            throw CredentialFileError(keyFile, "does not belong to \(certificateFile): \(error.description)")
        }
    }
}

extension AuthorityChain {
    /// Bytes of a certificate file that are read.
    private static let fileLimit = 256 * 1024

    /// Reads a PEM file: the issuer first.
    package static func read(_ path: String) throws(CredentialFileError) -> AuthorityChain {
        let bytes: [UInt8]
        do throws(BoundedFileError) { bytes = try BoundedFile.read(path, atMost: fileLimit) } catch {
            throw CredentialFileError(path, error.description)
        }
        return try AuthorityChain(bytes, of: path)
    }

    /// - Parameters:
    ///   - content: the certificates in PEM.
    ///   - path: the file with that content, for errors.
    fileprivate init(_ content: [UInt8], of path: String) throws(CredentialFileError) {
        guard content.count <= Self.fileLimit, let text = String(validating: content, as: UTF8.self) else {
            throw CredentialFileError(path, "is no text of certificates in PEM")
        }
        let blocks: [[UInt8]]
        do throws(Rejection) { blocks = try PEM.decode(text) } catch {
            throw CredentialFileError(path, "cannot be read: \(error.detail)")
        }
        do throws(AuthorityChainError) { self = try AuthorityChain(blocks) } catch {
            throw CredentialFileError(path, "is not the chain of a CA: \(error.description)")
        }
    }
}
