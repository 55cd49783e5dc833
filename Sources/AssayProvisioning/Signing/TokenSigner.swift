package import AssayCore
package import AssayPKCS11

/// A signer whose private key is in a PKCS#11 token. It waits on the token's thread, within the token's deadline.
package struct TokenSigner: AuthoritySigner {
    private let key: TokenKey
    package let publicKey: [UInt8]
    package let algorithm: AuthorityAlgorithm

    package init(_ key: TokenKey) {
        self.key = key
        publicKey = key.publicKey.der
        algorithm =
            switch key.publicKey.curve {
            case .p256: .p256
            case .p384: .p384
            }
    }

    /// The key of a CA, whose public key its certificate tells: so a daemon starts while its token is away, and a token that was exchanged
    /// is refused. The token is not asked yet.
    ///
    /// - Parameter publicKey: SubjectPublicKeyInfo (DER).
    package init(_ settings: TokenKeySettings, publicKey: [UInt8]) throws(AuthorityFileError) {
        guard let known = TokenPublicKey(der: publicKey) else {
            throw AuthorityFileError(settings.module, "cannot have the key of this certificate: neither P-256 nor P-384")
        }
        let token: Token
        do throws(TokenError) {
            token = try Token.shared(
                TokenSettings(module: settings.module, token: .label(settings.tokenLabel), pinFile: settings.pinFile))
        } catch {
            throw AuthorityFileError(settings.module, "cannot be used: \(error.description)")
        }
        // Settings that are read again are an operator's word that the PIN may be tried again.
        token.reload()
        self.init(TokenKey(KeySelector(label: settings.keyLabel), of: token, publicKey: known))
    }

    package var problem: String? { key.problem?.description }

    package func sign(_ bytes: [UInt8]) async throws(AuthorityError) -> [UInt8] {
        do throws(TokenError) { return try await key.sign(bytes) } catch { throw .unavailable(error.description) }
    }
}
