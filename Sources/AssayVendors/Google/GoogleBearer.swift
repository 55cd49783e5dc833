import AssayCore

/// A bearer token from Google's OAuth service (RFC 6749 §5.1).
package struct GoogleBearer: Sendable {
    /// The longest accepted token, in bytes. Tokens have about a kilobyte.
    static let lengthLimit = 8192

    /// The longest accepted lifetime, in milliseconds. Tokens live for an hour.
    static let longestLife: Int64 = 86_400_000

    /// Never to be logged.
    package let text: String
    /// The lifetime, in milliseconds: at most `longestLife`.
    package let milliseconds: Int64

    /// `nil` for any other answer.
    package init?(_ answer: [UInt8]) {
        guard let fields = try? JSONFields(parsing: answer[...], code: .malformedToken),
            let text = try? fields.text("access_token"), Self.isToken(text),
            let seconds = try? fields.integer("expires_in"), (1...Self.longestLife / 1000).contains(seconds)
        else { return nil }
        (self.text, milliseconds) = (text, seconds * 1000)
    }

    /// Whether the text may be in a header (RFC 6750 §2.1).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= lengthLimit && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
