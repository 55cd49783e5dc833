package import AssayCore

/// A signed token in compact serialisation (RFC 7515 §7.1), taken apart; nothing about it is verified.
package struct CompactJWS: Sendable {
    package let header: JOSEHeader
    package let payload: [UInt8]
    package let signature: [UInt8]
    /// What the signature is made over: the first two parts as they came, with the dot between them.
    package let signedPart: ArraySlice<UInt8>

    /// Throws `malformed_token`. How long a token may be is for the caller to limit.
    package init(parsing token: ArraySlice<UInt8>) throws(Rejection) {
        var parts = try CompactParts(token, count: 3)
        let (head, body) = (try parts.next(), try parts.next())
        header = try JOSEHeader(CompactParts.decode(head, "header"))
        payload = try CompactParts.decode(body, "payload")
        signature = try parts.decoded("signature")
        signedPart = token[head.startIndex..<body.endIndex]
    }
}
