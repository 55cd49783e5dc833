package import AssayCore

/// The header of a JWS or a JWE. It never selects code or keys; it is only compared with the expected values.
package struct JOSEHeader: Sendable {
    /// Members that change how the token is read, or contain a key (RFC 7515 §4.1, RFC 7516 §4.1, RFC 7797 §3).
    private static let refused: [OpaqueText] = ["crit", "zip", "b64", "jwk", "jku", "x5u", "x5c"]

    package let fields: JSONFields
    /// `alg`, which every token must have.
    package let algorithm: OpaqueText
    /// `enc`, which only an encrypted token has.
    package let encryption: OpaqueText?

    init(_ bytes: [UInt8]) throws(Rejection) {
        do throws(Rejection) {
            fields = try JSONFields(parsing: bytes[...], code: .malformedToken)
        } catch {
            // An error inside the header has no offset in the token.
            throw Rejection(error.code, "the header is \(error.detail)")
        }
        algorithm = OpaqueText(try fields.required("alg", fields.text("alg")))
        encryption = try fields.text("enc").map { OpaqueText($0) }
    }

    /// Throws `bad_algorithm` unless the header names exactly these algorithms and has none of the refused members.
    ///
    /// - Parameter member: one of those members that this kind of token may have.
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

    /// Throws `code` if the header has one of the refused members.
    func requireNothingUnused(_ code: ReasonCode, allowing member: OpaqueText? = nil) throws(Rejection) {
        for name in Self.refused where name != member && fields.has(name.text) {
            throw Rejection(code, "the header has a member \(name), which is never used")
        }
    }
}
