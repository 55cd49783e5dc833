import Crypto

/// Secrets that a preparer hides in its answer, such as in a credential that only one device can open, and that the verifier of the evidence
/// recognises without having stored them: HMAC-SHA-256 by a key of the ledger over what they are made for.
///
/// They are the same for all daemons of a ledger and after each restart. A secret is good until its expiry and for any number of uses: what
/// keeps evidence from being accepted twice is the challenge that it is bound to.
package struct PreparationSecrets: Sendable {
    /// In bytes.
    package static let length = 32
    private let key: SymmetricKey

    /// - Parameter root: the secret of the ledger from which all are derived, 32 bytes.
    package init(root: [UInt8]) { key = SymmetricKey(data: root) }

    /// The secret for one device of an app.
    ///
    /// - Parameters:
    ///   - context: all that the evidence must have in common with the request for it, such as the digest of both keys of a TPM. Another
    ///     context has another secret.
    ///   - expiry: when it ends. The evidence names it, and the verifier compares it with the time.
    package func secret(
        of format: EvidenceFormat, app: AppID, context: [UInt8], expiry: Timestamp
    ) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Self.input(format, app, context, expiry), using: key))
    }

    /// Whether that is the secret, compared in constant time. The expiry is not compared with the time.
    package func isSecret(
        _ given: some Sequence<UInt8>, of format: EvidenceFormat, app: AppID, context: [UInt8], expiry: Timestamp
    ) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            Array(given), authenticating: Self.input(format, app, context, expiry), using: key)
    }

    private static func input(
        _ format: EvidenceFormat, _ app: AppID, _ context: [UInt8], _ expiry: Timestamp
    ) -> [UInt8] {
        var fields = FieldDigest("assay.preparation.v1")
        fields.append(app.text)
        fields.append(format.rawValue)
        fields.append(UInt64(bitPattern: expiry.unixMilliseconds))
        fields.append(context)
        return fields.finalize()
    }
}
