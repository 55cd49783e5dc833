import AssayCore
import AssayEncoding

/// Extension 1.2.840.113635.100.8.2 of the credential certificate: the nonce to which Apple's signature binds the attestation.
///
///     30 24 A1 22 04 20 <32 bytes>        SEQUENCE { [1] { OCTET STRING } }, 38 bytes and no other form
struct NonceExtension {
    static let oid = OID(1, 2, 840, 113_635, 100, 8, 2)
    private static let length = 32

    let nonce: ArraySlice<UInt8>

    /// - Parameter value: the extension's value; `nil` if the certificate has none.
    init(_ value: ArraySlice<UInt8>?) throws(Rejection) {
        guard let value else { throw Rejection(.malformedNonceExtension, "the nonce extension is missing") }
        nonce = try DERReader.parse(value, code: .malformedNonceExtension) { outer throws(Rejection) in
            try outer.sequence { fields throws(Rejection) in
                try fields.scope(.context(1)) { tagged throws(Rejection) in
                    let nonce = try tagged.octetString()
                    guard nonce.count == Self.length else { throw tagged.rejection("a nonce of \(nonce.count) bytes") }
                    return nonce
                }
            }
        }
    }
}
