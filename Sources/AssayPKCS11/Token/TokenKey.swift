import Synchronization

/// A private key in a token, which signs there. Good for as long as its `Token`, whether the token is there or not.
package struct TokenKey: Sendable {
    package let publicKey: TokenPublicKey
    package let selector: KeySelector
    fileprivate let token: Token
    private let problems = KeyProblem()

    /// A key that was found before: nothing is asked now, so that a service can start while its token is away.
    ///
    /// - Parameter publicKey: the key of the certificate. A key of this name with another public key is refused (`key_mismatch`).
    package init(_ selector: KeySelector, of token: Token, publicKey: TokenPublicKey) {
        (self.selector, self.token, self.publicKey) = (selector, token, publicKey)
    }

    /// Signs with the hash of the curve: SHA-256 for P-256, SHA-384 for P-384. Ed25519 signs the message itself.
    ///
    /// - Returns: ECDSA-Sig-Value (DER, RFC 3279 §2.2.3), or the 64 bytes of Ed25519, which were verified with the public key.
    package func sign(_ message: [UInt8]) async throws(TokenError) -> [UInt8] {
        let (selector, publicKey) = (selector, publicKey)
        let message = SignedMessage(message, for: publicKey.curve)
        do throws(TokenError) {
            let signature = try await token.perform { connection throws(TokenError) in
                try connection.sign(message, with: try connection.key(selector, expecting: publicKey))
            }
            problems.set(nil)
            return signature
        } catch {
            problems.set(error)
            throw error
        }
    }

    /// Looks for keys in the background, so that their problems and the states of their tokens are known before the first signature.
    ///
    /// For a start or an operator's reload: what failed is tried again at once, and a PIN that a token refused once more, however many keys
    /// it has.
    package static func prepare(_ keys: [TokenKey]) {
        var tokens: Set<ObjectIdentifier> = []
        for key in keys where tokens.insert(ObjectIdentifier(key.token)).inserted { key.token.reload() }
        for key in keys { key.prepare() }
    }

    private func prepare() {
        let (selector, publicKey, problems) = (selector, publicKey, problems)
        token.post { connection in
            do throws(TokenError) {
                _ = try connection.perform(repeats: true) { connection throws(TokenError) in
                    try connection.key(selector, expecting: publicKey)
                }
                problems.set(nil)
            } catch {
                problems.set(error)
            }
        }
    }

    /// What is known of the problem with the token, or why the key could not be used last; `nil` if it could.
    package var problem: TokenError? { token.problem ?? problems.current }
}

/// Why a key that its token was asked for last could not be used. What keeps the whole token from being used is the token's state.
private final class KeyProblem: Sendable {
    private let error = Mutex<TokenError?>(nil)

    var current: TokenError? { error.withLock { $0 } }

    func set(_ error: TokenError?) {
        switch error?.code {
        case nil, .keyAbsent, .keyAmbiguous, .keyUnsuitable, .keyMismatch, .signatureInvalid: self.error.withLock { $0 = error }
        // These tell nothing of the key.
        case .moduleUnusable, .tokenAbsent, .tokenAmbiguous, .pinUnusable, .pinRefused, .keyExists, .failed, .timedOut,
            .notAnswering, .busy, .cancelled, .closed:
            break
        }
    }
}

/// What a token says about one of its private keys.
package struct TokenKeyFacts: Hashable, Sendable {
    /// CKA_LABEL of the private key; bytes that are no UTF-8 are replaced.
    package let label: String
    /// CKA_ID, which public and private key share.
    package let id: [UInt8]
    /// `nil`: a key of none of the curves, or the token does not tell the public key.
    package let publicKey: TokenPublicKey?
    package let protection: TokenKeyProtection
}

/// What a token says about the protection of a private key. An attribute that it does not tell counts as false, `isExtractable` as true.
package struct TokenKeyProtection: Hashable, Sendable {
    /// CKA_SENSITIVE: the token does not show it in clear.
    package var isSensitive: Bool
    /// CKA_ALWAYS_SENSITIVE
    package var wasAlwaysSensitive: Bool
    /// CKA_EXTRACTABLE: the token hands it out wrapped by another key.
    package var isExtractable: Bool
    /// CKA_NEVER_EXTRACTABLE
    package var wasNeverExtractable: Bool
    /// CKA_LOCAL: made in the token.
    package var wasMadeInToken: Bool

    /// The key was made in the token, and has never been outside.
    package var neverLeft: Bool {
        isSensitive && wasAlwaysSensitive && !isExtractable && wasNeverExtractable && wasMadeInToken
    }
}
