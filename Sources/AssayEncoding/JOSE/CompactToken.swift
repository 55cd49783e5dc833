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

/// The parts of a compact serialisation (RFC 7515 §7.1, RFC 7516 §7.1): base64url without padding, separated by dots.
struct CompactParts {
    private var parts: ArraySlice<ArraySlice<UInt8>>

    /// Requires exactly `count` parts, so that a signed token is never taken for an encrypted one.
    init(_ token: ArraySlice<UInt8>, count: Int) throws(Rejection) {
        // Splits off at most one part more than wanted: a token of dots alone creates no long list.
        var (parts, rest) = ([ArraySlice<UInt8>](), token)
        parts.reserveCapacity(count + 1)
        while parts.count < count, let dot = Self.firstDot(in: rest) {
            parts.append(rest[..<dot])
            rest = rest[(dot + 1)...]
        }
        parts.append(rest)
        self.parts = parts[...]
        guard parts.count == count else {
            let have = parts.count > count ? "more" : "\(parts.count)"
            throw Rejection(.malformedToken, "want \(count) parts with dots between them, have \(have)")
        }
    }

    /// The index of the first dot. Eight bytes at a time, since tokens are long: of eight from which 1 is subtracted, a zero is the first whose
    /// high bit that sets.
    private static func firstDot(in token: ArraySlice<UInt8>) -> Int? {
        token.withUnsafeBytes { bytes in
            let (ones, highs) = (UInt64(0x0101_0101_0101_0101), UInt64(0x8080_8080_8080_8080))
            var index = 0
            while index &+ 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let difference = word ^ ones &* 0x2E
                let found = (difference &- ones) & ~difference & highs
                if found != 0 { return token.startIndex + index + found.trailingZeroBitCount / 8 }
                index &+= 8
            }
            return bytes[index...].firstIndex(of: UInt8(ascii: ".")).map { token.startIndex + $0 }
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
        guard let bytes = Base64.url.decode(utf8: part) else {
            let text = String(decoding: part, as: UTF8.self)
            let fault = Base64.misspelling(ofURL: text) ?? "it has bytes that are not UTF-8"
            throw Rejection(.malformedToken, "the \(name) is not base64url without padding (\(fault))", offset: part.startIndex)
        }
        return bytes
    }
}
