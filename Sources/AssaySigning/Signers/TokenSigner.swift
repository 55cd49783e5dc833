package import AssayPKCS11

/// A signer whose private key is in a PKCS#11 token. It waits on the token's thread, within the token's deadline.
package struct TokenSigner: Signer {
    private let key: TokenKey
    package let publicKey: [UInt8]
    package let algorithm: SigningAlgorithm

    package init(_ key: TokenKey) {
        self.key = key
        publicKey = key.publicKey.der
        algorithm = SigningAlgorithm(key.publicKey.curve)
    }

    /// A key whose public key is known, as a certificate or a file tells it: so a daemon starts while its token is away, and a token that was exchanged
    /// is refused. The token is not asked yet.
    ///
    /// - Parameters:
    ///   - publicKey: SubjectPublicKeyInfo (DER).
    ///   - onChange: called when the token's state changes, on the token's thread: with what keeps it from being used, or `nil` if it can be
    ///     used. Of several signers with one token, that of the first is called.
    package init(
        _ settings: TokenKeySettings, publicKey: [UInt8], onChange: @escaping @Sendable (String?) -> Void = { _ in }
    ) throws(CredentialFileError) {
        guard let known = TokenPublicKey(der: publicKey) else {
            throw CredentialFileError(
                settings.module,
                "cannot have this public key: it is none of \(SigningAlgorithm.list(SigningAlgorithm.allCases))")
        }
        let token: Token
        do throws(TokenError) {
            token = try Token.shared(
                TokenSettings(module: settings.module, token: .label(settings.tokenLabel), pinFile: settings.pinFile)
            ) { state in
                switch state {
                case .untried: break
                case .available: onChange(nil)
                case .unavailable(let error): onChange(error.description)
                }
            }
        } catch {
            throw CredentialFileError(settings.module, "cannot be used: \(error.description)")
        }
        self.init(TokenKey(KeySelector(label: settings.keyLabel), of: token, publicKey: known))
    }

    /// Looks for the keys in the background, so that `problem` is known before the first signature. For a start or an operator's reload: a
    /// PIN that a token refused is tried once more.
    package static func prepare(_ signers: [TokenSigner]) { TokenKey.prepare(signers.map(\.key)) }

    /// Whether the key signs now. The token is asked, and logs in.
    package func check() async -> Usability {
        do throws(TokenError) {
            _ = try await key.sign([])
            return .usable
        } catch {
            return switch error.code {
            case .tokenAbsent, .failed, .timedOut, .notAnswering, .busy, .cancelled, .closed: .away(error.description)
            case .moduleUnusable, .tokenAmbiguous, .pinUnusable, .pinRefused, .keyAbsent, .keyAmbiguous, .keyExists,
                .keyUnsuitable, .keyMismatch, .signatureInvalid:
                .unusable(error.description)
            }
        }
    }

    package enum Usability: Hashable, Sendable {
        case usable
        /// The token is not there or does not answer, and may come back by itself.
        case away(String)
        /// A person has to do something.
        case unusable(String)
    }

    package var problem: String? { key.problem?.description }

    package func sign(_ bytes: [UInt8]) async throws(SigningError) -> [UInt8] {
        do throws(TokenError) { return try await key.sign(bytes) } catch { throw SigningError(error.description) }
    }
}

extension SigningAlgorithm {
    init(_ curve: TokenCurve) {
        self =
            switch curve {
            case .p256: .p256
            case .p384: .p384
            case .ed25519: .ed25519
            }
    }

    var tokenCurve: TokenCurve {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .ed25519: .ed25519
        }
    }
}
