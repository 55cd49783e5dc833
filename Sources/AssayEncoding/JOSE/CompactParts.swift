import AssayCore

/// The parts of a compact serialisation (RFC 7515 §7.1, RFC 7516 §7.1): base64url without padding, a dot between two.
struct CompactParts {
    private var parts: ArraySlice<ArraySlice<UInt8>>

    /// There must be exactly `count` parts, so that a signed token is never taken for an encrypted one.
    init(_ token: ArraySlice<UInt8>, count: Int) throws(Rejection) {
        // At most one more than wanted, and the rest unsplit: a token of dots alone makes no list.
        parts = token.split(separator: UInt8(ascii: "."), maxSplits: count, omittingEmptySubsequences: false)[...]
        guard parts.count == count else {
            let have = parts.count > count ? "more" : "\(parts.count)"
            throw Rejection(.malformedToken, "want \(count) parts with dots between them, have \(have)")
        }
    }

    /// The next part as it stands.
    mutating func next() throws(Rejection) -> ArraySlice<UInt8> {
        guard let part = parts.popFirst() else { throw Rejection(.malformedToken, "the token ends too early") }
        return part
    }

    /// The next part's bytes: strict base64url without padding, white space or bits left over.
    mutating func decoded(_ name: StaticString) throws(Rejection) -> [UInt8] {
        try Self.decode(try next(), name)
    }

    static func decode(_ part: ArraySlice<UInt8>, _ name: StaticString) throws(Rejection) -> [UInt8] {
        guard let bytes = Base64.url.decode(String(decoding: part, as: UTF8.self)) else {
            throw Rejection(.malformedToken, "the \(name) is not base64url without padding", offset: part.startIndex)
        }
        return bytes
    }
}
