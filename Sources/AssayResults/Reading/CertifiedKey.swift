import AssayCore
import AssayEncoding

/// The key of an X.509 certificate (RFC 5280 §4.1): nothing else of it is read. Whether the certificate can be trusted is another question.
enum CertifiedKey {
    static func read(_ der: [UInt8]) throws(Rejection) -> JSONWebKey {
        let encoded = try DERReader.parse(der[...], code: .malformedCertificate) { outer throws(Rejection) in
            try outer.sequence { certificate throws(Rejection) -> ArraySlice<UInt8> in
                let key = try certificate.sequence { fields throws(Rejection) -> ArraySlice<UInt8> in
                    _ = try fields.optional(.context(0))
                    _ = try fields.integer()
                    // The algorithm, the issuer, the validity, the subject.
                    for _ in 0..<4 { _ = try fields.element(.sequence) }
                    let key = try fields.element(.sequence).encoded
                    while !fields.isAtEnd { _ = try fields.element() }
                    return key
                }
                while !certificate.isAtEnd { _ = try certificate.element() }
                return key
            }
        }
        guard let key = JSONWebKey(subjectPublicKeyInfo: Array(encoded)) else {
            throw Rejection(.unsupportedKey, "a key of a kind that signs no results")
        }
        return key
    }
}
