package import AssayCore

/// Writes signed tokens in compact serialisation (RFC 7515 §7.1). It signs nothing and knows no algorithm: the caller signs `signingInput`.
///
/// The header is encoded once, since it is a constant of a key. It shares no code with ``CompactJWS``, so that tests which read what it
/// writes compare two understandings of RFC 7515.
package struct JOSEWriter: Sendable {
    /// BASE64URL(header) and the dot behind it.
    private let head: [UInt8]

    /// - Parameter header: the members of the header in the order in which they are written, `alg` among them. Names are distinct, and
    ///   texts are UTF-8; readers refuse other headers.
    package init(header: JSONObject) {
        head = Self.encoded(JSONValue.object(header).text) + [Self.dot]
    }

    /// BASE64URL(header) ‖ "." ‖ BASE64URL(payload): what is signed (RFC 7515 §5.1, step 5).
    package func signingInput(_ payload: [UInt8]) -> [UInt8] {
        let capacity = head.count + (payload.count + 2) / 3 * 4
        return [UInt8].filled(capacity: capacity) { input, count in
            _ = input.initialize(fromContentsOf: head)
            let text = UnsafeMutableBufferPointer(rebasing: input[head.count...])
            count = head.count + payload.withUnsafeBytes { Base64.url.encode($0, into: text) }
        }
    }

    /// The token: the signing input, a dot and the signature.
    ///
    /// - Parameter signature: as the header's `alg` has it. For ECDSA it is r ‖ s (RFC 7518 §3.4), not DER.
    package static func token(_ signingInput: [UInt8], signature: [UInt8]) -> [UInt8] {
        var token: [UInt8] = []
        token.reserveCapacity(signingInput.count + 1 + (signature.count + 2) / 3 * 4)
        token += signingInput
        token.append(dot)
        signature.withUnsafeBytes { Base64.url.append($0, to: &token) }
        return token
    }

    private static let dot = UInt8(ascii: ".")

    private static func encoded(_ bytes: [UInt8]) -> [UInt8] { Array(Base64.url.encode(bytes).utf8) }
}
