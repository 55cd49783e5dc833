import AssayCore
package import AssayEncoding

/// One extension of a certificate (RFC 5280 §4.1.2.9), its value not parsed.
package struct CertificateExtension: Sendable {
    package let oid: OID
    package let isCritical: Bool
    /// The content of extnValue.
    package let value: ArraySlice<UInt8>

    init(
        from reader: inout DERReader, leniencies: CertificateLeniencies, used: inout CertificateLeniencies
    ) throws(Rejection) {
        (oid, isCritical, value) = try reader.sequence { fields throws(Rejection) in
            let oid = try fields.objectIdentifier()
            let isCritical = try Self.critical(&fields, leniencies, &used)
            return (oid, isCritical, try fields.octetString())
        }
    }

    private static func critical(
        _ fields: inout DERReader, _ leniencies: CertificateLeniencies, _ used: inout CertificateLeniencies
    ) throws(Rejection) -> Bool {
        guard leniencies.contains(.criticalNotDER) else { return try fields.booleanDefaultFalse() }
        guard let content = try fields.optional(.boolean)?.content else { return false }
        guard content.count == 1, let octet = content.first else { throw fields.rejection("a BOOLEAN that is not one octet") }
        if octet != 0xFF { used.insert(.criticalNotDER) }
        return octet != 0
    }
}

extension OID {
    package static let basicConstraints = OID(2, 5, 29, 19)
    package static let keyUsage = OID(2, 5, 29, 15)
}
