package import AssayCore

/// A signed token in compact serialisation (RFC 7515 §7.1), split into its parts and not verified.
package struct CompactJWS: Sendable {
    package let header: JOSEHeader
    package let payload: [UInt8]
    package let signature: [UInt8]
    /// The signed bytes: the first two parts as received, with the dot between them.
    package let signedPart: ArraySlice<UInt8>

    /// Throws `malformed_token`. The caller limits the token's length.
    package init(parsing token: ArraySlice<UInt8>) throws(Rejection) {
        var parts = try CompactParts(token, count: 3)
        let (head, body) = (try parts.next(), try parts.next())
        header = try JOSEHeader(CompactParts.decode(head, "header"))
        payload = try CompactParts.decode(body, "payload")
        signature = try parts.decoded("signature")
        signedPart = token[head.startIndex..<body.endIndex]
    }
}
