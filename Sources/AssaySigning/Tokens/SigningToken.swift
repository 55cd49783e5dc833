import AssayPKCS11

/// A PKCS#11 token in which keys are made and found.
package struct SigningToken: Sendable {
    /// Some tokens take seconds to make a key; in milliseconds.
    private static let deadline: Int64 = 60_000

    private let module: String
    private let label: String
    private let pinFile: String
    private let token: Token

    /// Loads the module; asks nothing of the token yet.
    ///
    /// - Parameters:
    ///   - module: the absolute path of the module.
    ///   - label: the label of the token.
    ///   - pinFile: the file with the user's PIN, mode 0600.
    package init(module: String, label: String, pinFile: String) throws(CredentialFileError) {
        (self.module, self.label, self.pinFile) = (module, label, pinFile)
        var settings = TokenSettings(module: module, token: .label(label), pinFile: pinFile)
        settings.deadline = Self.deadline
        do throws(TokenError) { token = try Token(settings) } catch {
            throw CredentialFileError(module, "cannot be used: \(error.description)")
        }
    }

    /// Makes a key pair in the token, which is checked to be unable to leave it.
    ///
    /// - Parameter hint: what to do if the token has a key of that label, to stand at the end of the error's sentence.
    package func makeKey(
        _ algorithm: SigningAlgorithm, label key: String, ifTaken hint: String = ""
    ) async throws(CredentialFileError) -> SigningTokenKey {
        do throws(TokenError) {
            // `generateKey` gives out no other.
            return found(try await token.generateKey(algorithm.tokenCurve, label: key), label: key, neverLeft: true)
        } catch {
            throw CredentialFileError(module, "made no key: \(error.description)\(error.code == .keyExists ? hint : "")")
        }
    }

    /// Finds the key of a certificate, and lets it sign.
    ///
    /// - Parameters:
    ///   - publicKey: SubjectPublicKeyInfo (DER).
    ///   - key: the label of the key; `nil`: that of the token's key with this public key.
    package func key(of publicKey: [UInt8], label key: String?) async throws(CredentialFileError) -> SigningTokenKey {
        guard let wanted = TokenPublicKey(der: publicKey) else {
            throw problem(
                "cannot have the key of this certificate: it is none of \(SigningAlgorithm.list(SigningAlgorithm.allCases))")
        }
        do throws(TokenError) {
            let keys = try await token.keys()
            let facts = try named(key, in: keys, wanted)
            let key = TokenKey(KeySelector(label: facts.label), of: token, publicKey: wanted)
            // The signature is verified with the certificate's public key.
            _ = try await key.sign([])
            return found(key, label: facts.label, neverLeft: facts.protection.neverLeft)
        } catch {
            throw problem("cannot sign for this certificate: \(error.description)")
        }
    }

    private func named(
        _ label: String?, in keys: [TokenKeyFacts], _ wanted: TokenPublicKey
    ) throws(TokenError) -> TokenKeyFacts {
        let all =
            keys.isEmpty ? "no private keys" : "the private keys " + keys.map { "\"\($0.label)\"" }.joined(separator: ", ")
        guard let label else {
            guard let facts = keys.first(where: { $0.publicKey == wanted }) else {
                throw TokenError(.keyAbsent, "\(token.settings.token) has \(all), and none of them is the certificate's")
            }
            guard !facts.label.isEmpty else {
                throw TokenError(.keyUnsuitable, "the key has no label; give it one by the token's own tool")
            }
            return facts
        }
        let named = keys.filter { $0.label == label }
        guard let facts = named.first else {
            throw TokenError(.keyAbsent, "\(token.settings.token) has \(all), and none \"\(label)\"")
        }
        guard named.count == 1 else {
            throw TokenError(.keyAmbiguous, "\(token.settings.token) has more than one private key \"\(label)\"")
        }
        // Some tokens do not tell the public key; then the signature has to show it.
        guard facts.publicKey == nil || facts.publicKey == wanted else {
            throw TokenError(.keyMismatch, "the key \"\(label)\" of \(token.settings.token) is not the certificate's")
        }
        return facts
    }

    private func problem(_ words: String) -> CredentialFileError { CredentialFileError(module, words) }

    private func found(_ key: TokenKey, label: String, neverLeft: Bool) -> SigningTokenKey {
        SigningTokenKey(
            settings: TokenKeySettings(module: module, tokenLabel: self.label, keyLabel: label, pinFile: pinFile),
            signer: TokenSigner(key), neverLeft: neverLeft)
    }
}

/// A key that was made or found in a token.
package struct SigningTokenKey: Sendable {
    /// Where it is, as the configuration names it.
    package let settings: TokenKeySettings
    package let signer: TokenSigner
    /// The token says that the key was made in it and was never outside (CKA_LOCAL, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE).
    package let neverLeft: Bool
}

/// A key that is to be made in a token.
package struct NewTokenKey: Sendable {
    package let token: SigningToken
    /// CKA_LABEL, 1 to 255 bytes.
    package let label: String

    package init(in token: SigningToken, label: String) { (self.token, self.label) = (token, label) }
}
