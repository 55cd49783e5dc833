import AssayCore

/// The parts of a compact serialisation (RFC 7515 §7.1, RFC 7516 §7.1): base64url without padding, separated by dots.
struct CompactParts {
    private var parts: ArraySlice<ArraySlice<UInt8>>

    /// Requires exactly `count` parts, so that a signed token is never taken for an encrypted one.
    init(_ token: ArraySlice<UInt8>, count: Int) throws(Rejection) {
        // Splits off at most one part more than wanted: a token of dots alone creates no long list.
        parts = token.split(separator: UInt8(ascii: "."), maxSplits: count, omittingEmptySubsequences: false)[...]
        guard parts.count == count else {
            let have = parts.count > count ? "more" : "\(parts.count)"
            throw Rejection(.malformedToken, "want \(count) parts with dots between them, have \(have)")
        }
    }

    /// The next part, not decoded.
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
