package import Crypto

/// A private key in a token, which signs there. Good for as long as its `Token`, whether the token is there or not.
package struct TokenKey: Sendable {
    package let publicKey: TokenPublicKey
    package let selector: KeySelector
    private let token: Token

    /// A key that was found before: nothing is asked now, so that a service can start while its token is away.
    ///
    /// - Parameter publicKey: the key of the certificate. A key of this name with another public key is refused (`key_mismatch`).
    package init(_ selector: KeySelector, of token: Token, publicKey: TokenPublicKey) {
        (self.selector, self.token, self.publicKey) = (selector, token, publicKey)
    }

    /// Signs with the hash of the curve: SHA-256 for P-256, SHA-384 for P-384.
    ///
    /// - Returns: ECDSA-Sig-Value (DER, RFC 3279 §2.2.3), which was verified with the public key.
    package func sign(_ message: [UInt8]) async throws(TokenError) -> [UInt8] {
        switch publicKey.curve {
        case .p256: try await sign(digest: SHA256.hash(data: message))
        case .p384: try await sign(digest: SHA384.hash(data: message))
        }
    }

    /// Signs a digest of the curve's length: 32 bytes for P-256, 48 for P-384.
    ///
    /// - Returns: ECDSA-Sig-Value (DER, RFC 3279 §2.2.3), which was verified with the public key.
    package func sign(digest: some Digest & Sendable) async throws(TokenError) -> [UInt8] {
        let (selector, publicKey) = (selector, publicKey)
        guard Array(digest).count == publicKey.curve.length else {
            throw TokenError(.keyUnsuitable, "a \(publicKey.curve) key signs digests of \(publicKey.curve.length) bytes")
        }
        return try await token.perform { connection throws(TokenError) in
            try connection.sign(digest, with: try connection.key(selector, expecting: publicKey))
        }
    }

    /// What is known of the problem with the token; `nil` if it answered last.
    package var problem: TokenError? { token.problem }
}

/// What a token says about one of its private keys.
package struct TokenKeyFacts: Hashable, Sendable {
    /// CKA_LABEL of the private key; bytes that are no UTF-8 are replaced.
    package let label: String
    /// CKA_ID, which public and private key share.
    package let id: [UInt8]
    /// `nil`: not a P-256 or P-384 key, or the token does not tell the public key.
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
