package import AssayCore

/// An encrypted token in compact serialisation (RFC 7516 §7.1), split into its parts and not decrypted.
package struct CompactJWE: Sendable {
    package let header: JOSEHeader
    package let encryptedKey: [UInt8]
    package let initializationVector: [UInt8]
    package let ciphertext: [UInt8]
    package let authenticationTag: [UInt8]
    /// The additional authenticated data: the first part as received (RFC 7516 §5.2, step 15).
    package let additionalData: ArraySlice<UInt8>

    /// Throws `malformed_token`. The caller limits the token's length.
    package init(parsing token: ArraySlice<UInt8>) throws(Rejection) {
        var parts = try CompactParts(token, count: 5)
        additionalData = try parts.next()
        header = try JOSEHeader(CompactParts.decode(additionalData, "header"))
        encryptedKey = try parts.decoded("encrypted key")
        initializationVector = try parts.decoded("initialization vector")
        ciphertext = try parts.decoded("ciphertext")
        authenticationTag = try parts.decoded("authentication tag")
    }

    /// Requires the lengths that AES-256 key wrap of a 256-bit key and AES-256-GCM produce (RFC 7518 §4.4, §5.3).
    package func requireLengthsOfA256() throws(Rejection) {
        for (name, bytes, length) in [
            ("encrypted key", encryptedKey, 40), ("initialization vector", initializationVector, 12),
            ("authentication tag", authenticationTag, 16),
        ] where bytes.count != length {
            throw Rejection(.malformedToken, "the \(name) has \(bytes.count) bytes, not \(length)")
        }
    }
}
