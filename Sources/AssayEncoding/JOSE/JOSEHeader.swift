package import AssayCore

/// The header of a JWS or a JWE: what the token says of itself. Nothing in it chooses code or keys; it is compared with what is
/// allowed, and that is all.
package struct JOSEHeader: Sendable {
    /// Members that change how the token is read, or bring a key along (RFC 7515 §4.1, RFC 7516 §4.1, RFC 7797 §3).
    private static let refused: [OpaqueText] = ["crit", "zip", "b64", "jwk", "jku", "x5u", "x5c"]

    package let fields: JSONFields
    /// `alg`, which every token must name.
    package let algorithm: OpaqueText
    /// `enc`, which only an encrypted token names.
    package let encryption: OpaqueText?

    init(_ bytes: [UInt8]) throws(Rejection) {
        do throws(Rejection) {
            fields = try JSONFields(parsing: bytes[...], code: .malformedToken)
        } catch {
            // Where it breaks is no place in the token.
            throw Rejection(error.code, "the header is \(error.detail)")
        }
        algorithm = OpaqueText(try fields.required("alg", fields.text("alg")))
        encryption = try fields.text("enc").map { OpaqueText($0) }
    }

    /// Throws `bad_algorithm` unless the header names exactly these algorithms and has none of the members that are refused.
    ///
    /// - Parameter member: one of those members that this kind of token has, after all.
    package func require(
        _ algorithm: OpaqueText, encryption: OpaqueText? = nil, allowing member: OpaqueText? = nil
    ) throws(Rejection) {
        guard self.algorithm == algorithm else { throw Rejection(.badAlgorithm, "alg is not \(algorithm)") }
        guard self.encryption == encryption else {
            throw Rejection(.badAlgorithm, encryption.map { "enc is not \($0)" } ?? "a signed token names an encryption")
        }
        try requireNothingUnused(.badAlgorithm, allowing: member)
    }

    /// Whether these are the algorithms.
    func names(_ algorithm: OpaqueText, _ encryption: OpaqueText? = nil) -> Bool {
        self.algorithm == algorithm && self.encryption == encryption
    }

    /// Throws `code` if the header has one of the members that are refused.
    func requireNothingUnused(_ code: ReasonCode, allowing member: OpaqueText? = nil) throws(Rejection) {
        for name in Self.refused where name != member && fields.has(name.text) {
            throw Rejection(code, "the header has a member \(name), which is never used")
        }
    }
}
