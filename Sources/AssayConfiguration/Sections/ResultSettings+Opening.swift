package import AssayCertificates
import AssayCore
import AssayEncoding
import AssayFiles
import AssayProvisioning
package import AssayResults
package import AssaySigning

extension ResultSettings {
    /// Opens the keys of both issuers, in the order of the file. Throws with the first file that is wrong. A token is not waited for.
    ///
    /// - Parameter openToken: gives the signer of a key in a token, whose public key (SubjectPublicKeyInfo, DER) a file tells.
    package func open(
        openToken: (TokenKeySettings, [UInt8]) throws(CredentialFileError) -> any Signer
    ) throws(CredentialFileError) -> [ResultKey] {
        var keys: [ResultKey] = []
        for issuer in issuers {
            let name = ResultIssuer(issuer.kind, address: issuer.settings.address)
            for settings in issuer.settings.keys {
                let key = try settings.open(for: name, openToken: openToken)
                guard !keys.contains(where: { $0.identifier == key.identifier }) else {
                    throw CredentialFileError(
                        settings.file, "is a key that stands before it already: each signs for one issuer, once")
                }
                keys.append(key)
            }
        }
        return keys
    }
}

extension ResultSettings.Key {
    /// Certificates of a key: its own and those above it.
    private static let chainLimit = 8
    /// In bytes.
    private static let fileLimit = 64 << 10

    /// The file that stands for the key in errors.
    package var file: String {
        switch place {
        case .file(let path, _): path
        case .pkcs11(_, let publicKeyFile): publicKeyFile
        }
    }

    /// Opens the key.
    package func open(
        for issuer: ResultIssuer, openToken: (TokenKeySettings, [UInt8]) throws(CredentialFileError) -> any Signer
    ) throws(CredentialFileError) -> ResultKey {
        let signer: any Signer
        switch place {
        case .file(let path, let passphraseFile):
            var passphrase: Passphrase?
            if let passphraseFile { passphrase = try Passphrase.read(passphraseFile) }
            signer = FileSigner(try SigningKeyFile.read(path, passphrase: passphrase, allowsPlain: passphraseFile == nil))
        case .pkcs11(let token, let publicKeyFile):
            signer = try openToken(token, try PublicKeyFile.read(publicKeyFile))
        }
        let chain = try certificates()
        if let file = certificateFile, let own = chain.first, !own.publicKey.der.elementsEqual(signer.publicKey) {
            throw CredentialFileError(file, "is not the certificate of the key in \(self.file)")
        }
        let certification = try certification(by: signer, chain, as: issuer)
        let certificates = chain.map { Array($0.der) }
        guard let key = ResultKey(signer, issuer: issuer, certificates: certificates, certification: certification) else {
            throw CredentialFileError(self.file, SigningKeyError.wrongKind(SigningAlgorithm.allCases).description)
        }
        return key
    }

    /// How the key certifies keys in memory; `nil`: it does not.
    private func certification(
        by signer: any Signer, _ chain: [Certificate], as issuer: ResultIssuer
    ) throws(CredentialFileError) -> ResultKeyCertification? {
        guard let lifetime = certifiedLifetime, let certificateFile else { return nil }
        let certifier: ShortLivedKeyCertifier
        do throws(AuthorityChainError) {
            certifier = try ShortLivedKeyCertifier(signer, certificates: chain, subject: issuer.address)
        } catch {
            throw CredentialFileError(certificateFile, "lets the key certify no others: \(error.description)")
        }
        return ResultKeyCertification(lifetime: lifetime) { (publicKey, now) throws(SigningError) in
            do throws(AuthorityError) {
                let made = try await certifier.certify(publicKey, for: lifetime, at: now)
                return ShortLivedCertificate(
                    der: made.certificate, issuedAt: now, notBefore: made.notBefore, notAfter: made.notAfter)
            } catch {
                throw SigningError(error.description)
            }
        }
    }

    /// The certificates in the file, the key's own first; none without a file.
    package func certificates() throws(CredentialFileError) -> [Certificate] {
        guard let certificateFile else { return [] }
        let bytes: [UInt8]
        do throws(BoundedFileError) { bytes = try BoundedFile.read(certificateFile, atMost: Self.fileLimit) } catch {
            throw CredentialFileError(certificateFile, error.description)
        }
        do throws(Rejection) {
            let blocks = try PEM.decode(String(decoding: bytes, as: UTF8.self))
            guard blocks.count <= Self.chainLimit else {
                throw Rejection(.malformedCertificate, "it has more than \(Self.chainLimit) certificates")
            }
            var chain: [Certificate] = []
            for der in blocks { chain.append(try Certificate(der: der[...])) }
            return chain
        } catch {
            throw CredentialFileError(certificateFile, "cannot be read: \(error.detail)")
        }
    }
}
