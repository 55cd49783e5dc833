package import AssaySigning

/// A CA whose files were written.
package struct MadeAuthority: Sendable {
    package let files: AuthorityFiles
    package let chain: AuthorityChain
    /// Whether a passphrase was made; otherwise the file was there, or none is needed.
    package let madePassphrase: Bool
    /// The key in a token; `nil`: the key is in its file.
    package let tokenKey: SigningTokenKey?

    init(files: AuthorityFiles, chain: AuthorityChain, madePassphrase: Bool = false, tokenKey: SigningTokenKey? = nil) {
        (self.files, self.chain, self.madePassphrase, self.tokenKey) = (files, chain, madePassphrase, tokenKey)
    }
}

/// A CA whose key and certificate are made, and whose files are not.
struct UnwrittenAuthority {
    enum Key {
        case file(SigningKey)
        case token(SigningTokenKey)
    }

    let key: Key
    let chain: AuthorityChain

    func written(to files: AuthorityFiles, iterations: Int) throws(CredentialFileError) -> MadeAuthority {
        switch key {
        case .file(let key):
            let isNew = try files.write(key, chain, iterations: iterations)
            return MadeAuthority(files: files, chain: chain, madePassphrase: isNew)
        case .token(let key):
            try files.write(chain)
            return MadeAuthority(files: files, chain: chain, tokenKey: key)
        }
    }

    /// A failure after which a key is in the token for which there is no certificate.
    func left(by error: CredentialFileError) -> CredentialFileError {
        guard case .token(let key) = key else { return error }
        return CredentialFileError(
            error.path,
            error.problem
                + "; the key \"\(key.settings.keyLabel)\" was made in the token and has no certificate: remove it by "
                + "the token's own tool")
    }
}
