import AssayCore
import AssayEncoding

extension TrustAnchor {
    /// A built-in anchor; `nil` if its facts are invalid.
    ///
    /// - Parameters:
    ///   - subject: DER in Base64, as is `publicKey`.
    ///   - certificate: SHA-256 in hexadecimal.
    ///   - validity: seconds since 1970.
    package static func builtIn(
        name: String, publisher: String, subject: String, publicKey: String, certificate: String, validity: (Int64, Int64),
        isSoftware: Bool = false
    ) -> TrustAnchor? {
        guard let subject = Base64.standard.decode(subject), let publicKey = Base64.standard.decode(publicKey),
            let certificate = Hex.decode(certificate)
        else { return nil }
        return try? TrustAnchor(
            name: name, publisher: publisher, subject: subject, publicKey: publicKey, certificateSHA256: certificate,
            validity: Validity(
                notBefore: Timestamp(unixSeconds: validity.0), notAfter: Timestamp(unixSeconds: validity.1)),
            simulated: isSoftware, isSoftware: isSoftware)
    }
}
