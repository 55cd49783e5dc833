import AssayCore

/// A bearer token as Google's OAuth service answers with one (RFC 6749 §5.1).
package struct GoogleBearer: Sendable {
    /// The longest token that is read, in bytes. They have about a kilobyte.
    static let lengthLimit = 8192

    /// The longest that a token may be good for, in milliseconds. They are good for an hour.
    static let longestLife: Int64 = 86_400_000

    /// Never to be logged.
    package let text: String
    /// How long it lasts, in milliseconds: at most `longestLife`.
    package let milliseconds: Int64

    /// `nil` for anything else.
    package init?(_ answer: [UInt8]) {
        guard let fields = try? JSONFields(parsing: answer[...], code: .malformedToken),
            let text = try? fields.text("access_token"), Self.isToken(text),
            let seconds = try? fields.integer("expires_in"), (1...Self.longestLife / 1000).contains(seconds)
        else { return nil }
        (self.text, milliseconds) = (text, seconds * 1000)
    }

    /// What can stand in a header (RFC 6750 §2.1).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= lengthLimit && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
