import AssayCore
package import AssayEncoding

/// One extension of a certificate (RFC 5280 §4.1.2.9). Its value is read by whoever needs it.
package struct CertificateExtension: Sendable {
    package let oid: OID
    package let isCritical: Bool
    /// The content of extnValue.
    package let value: ArraySlice<UInt8>

    init(from reader: inout DERReader) throws(Rejection) {
        (oid, isCritical, value) = try reader.sequence { fields throws(Rejection) in
            let oid = try fields.objectIdentifier()
            let isCritical = try fields.booleanDefaultFalse()
            return (oid, isCritical, try fields.octetString())
        }
    }
}

extension OID {
    package static let basicConstraints = OID(2, 5, 29, 19)
    package static let keyUsage = OID(2, 5, 29, 15)
}
