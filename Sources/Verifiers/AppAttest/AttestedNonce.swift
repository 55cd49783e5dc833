import Crypto

/// `SHA-256(authenticator data ‖ clientDataHash)`, over the authenticator data as received.
struct AttestedNonce {
    let digest: SHA256.Digest

    init(authenticatorData: ArraySlice<UInt8>, clientDataHash: [UInt8]) {
        var hash = SHA256()
        authenticatorData.withUnsafeBytes { hash.update(bufferPointer: $0) }
        clientDataHash.withUnsafeBytes { hash.update(bufferPointer: $0) }
        digest = hash.finalize()
    }

    /// Whether the bytes are the nonce.
    func equals(_ bytes: ArraySlice<UInt8>) -> Bool { digest.elementsEqual(bytes) }

    /// The digest that an assertion's signature covers. The Secure Enclave signs the nonce *as a message*, so it is hashed once
    /// more; a verifier that took the nonce as the digest would refuse every genuine assertion.
    var signedDigest: SHA256.Digest {
        var hash = SHA256()
        digest.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }
}
