package import AssayCore

/// A token in compact serialisation of either kind, taken apart: for tokens that are opened elsewhere, of which no more than
/// the form is known here. The number of its parts says which kind it is (RFC 7516 §9).
package enum CompactToken: Sendable {
    /// Three parts.
    case signed(CompactJWS)
    /// Five parts.
    case encrypted(CompactJWE)

    /// Every part must be strict base64url, so that a token has one spelling; the header must be that of its kind, and content
    /// and signature or tag must not be empty. A token that is signed by nothing, or has a header member that is never used, is none;
    /// and where the header names Google's algorithms, key, vector and tag have their lengths.
    ///
    /// Throws `malformed_token`. How long a token may be is for the caller to limit.
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
