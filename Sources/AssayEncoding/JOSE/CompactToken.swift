package import AssayCore

/// A token in compact serialisation of either kind, split into its parts: for tokens that a vendor decodes, of which only the
/// form is known here. The number of parts determines the kind (RFC 7516 §9).
package enum CompactToken: Sendable {
    /// Three parts.
    case signed(CompactJWS)
    /// Five parts.
    case encrypted(CompactJWE)

    /// Every part must be strict base64url, so that a token has one spelling; the header must be that of its kind, and content
    /// and signature or tag must not be empty. Unsigned tokens and tokens with an unused header member are refused; if the
    /// header names Google's algorithms, key, vector and tag must have their lengths.
    ///
    /// Throws `malformed_token`. The caller limits the token's length.
    package init(parsing token: ArraySlice<UInt8>) throws(Rejection) {
        switch token.count(where: { $0 == UInt8(ascii: ".") }) {
        case 2:
            let signed = try CompactJWS(parsing: token)
            guard signed.header.encryption == nil, !signed.header.names("none"), !signed.payload.isEmpty,
                !signed.signature.isEmpty
            else { throw Rejection(.malformedToken, "three parts that are no signed token") }
            try signed.header.requireNothingUnused(.malformedToken)
            self = .signed(signed)
        case 4:
            let encrypted = try CompactJWE(parsing: token)
            guard encrypted.header.encryption != nil, !encrypted.encryptedKey.isEmpty,
                !encrypted.initializationVector.isEmpty, !encrypted.ciphertext.isEmpty, !encrypted.authenticationTag.isEmpty
            else { throw Rejection(.malformedToken, "five parts that are no encrypted token") }
            try encrypted.header.requireNothingUnused(.malformedToken)
            if encrypted.header.names("A256KW", "A256GCM") { try encrypted.requireLengthsOfA256() }
            self = .encrypted(encrypted)
        case let dots:
            throw Rejection(.malformedToken, "want 3 or 5 parts with dots between them, have \(dots + 1)")
        }
    }
}
