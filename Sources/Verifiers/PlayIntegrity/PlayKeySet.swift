import AssayCore
import AssayEncoding
import Crypto

/// The two keys with which an app's classic tokens are decrypted and verified, as the Play Console shows them.
package struct PlayKeySet: Sendable {
    /// In bytes.
    package static let decryptionKeyLength = 32

    private let decryptionKey: SymmetricKey
    private let verificationKey: P256.Signing.PublicKey

    /// `nil` unless the decryption key has 32 bytes, and the verification key is the SubjectPublicKeyInfo of a point on P-256.
    package init?(decryptionKey: [UInt8], verificationKey: [UInt8]) {
        guard decryptionKey.count == Self.decryptionKeyLength,
            let key = try? P256.Signing.PublicKey(derRepresentation: verificationKey)
        else { return nil }
        self.decryptionKey = SymmetricKey(data: decryptionKey)
        self.verificationKey = key
    }

    /// SHA-256 of the verification key's SubjectPublicKeyInfo: identifies the pair and reveals nothing of its secret.
    package var fingerprint: [UInt8] { Array(SHA256.hash(data: verificationKey.derRepresentation)) }

    /// Unwraps the content key (RFC 3394) and decrypts the ciphertext with it (AES-256-GCM). `nil` if either fails: the token
    /// was encrypted to another key or was changed, which cannot be distinguished.
    func open(_ token: CompactJWE) -> [UInt8]? {
        guard let contentKey = try? AES.KeyWrap.unwrap(token.encryptedKey, using: decryptionKey),
            let nonce = try? AES.GCM.Nonce(data: token.initializationVector),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: token.ciphertext, tag: token.authenticationTag),
            let plaintext = try? AES.GCM.open(box, using: contentKey, authenticating: token.additionalData)
        else { return nil }
        return Array(plaintext)
    }

    /// Whether this key made the signature, r ‖ s in 64 octets (RFC 7518 §3.4).
    func verifies(_ token: CompactJWS) -> Bool {
        guard token.signature.count == 64,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        else { return false }
        // Not by the signature over data, whose generic way costs more than some blocks of the hash.
        var hash = SHA256()
        token.signedPart.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return verificationKey.isValidSignature(signature, for: hash.finalize())
    }
}

/// Where an app's tokens are decrypted.
package enum PlayDecoding: String, CaseIterable, Hashable, Sendable {
    /// In the daemon, with the keys of the Play Console. Not possible for tokens of standard requests.
    case local
    /// By Google's service.
    case google
    /// In the daemon if one of the keys decrypts the token, otherwise by Google's service: for rotations, and for apps with
    /// both kinds of request.
    case localThenGoogle = "local_then_google"
}
