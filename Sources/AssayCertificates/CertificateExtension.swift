package import AssayCore
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
            let oid = try fields.field("extnID") { field throws(Rejection) in try field.objectIdentifier() }
            let isCritical = try fields.field("\(oid) critical") { field throws(Rejection) in
                try Self.critical(&field, leniencies, &used)
            }
            let value = try fields.field("\(oid) extnValue") { field throws(Rejection) in try field.octetString() }
            return (oid, isCritical, value)
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

/// `SEQUENCE { cA BOOLEAN DEFAULT FALSE, pathLenConstraint INTEGER OPTIONAL }` (RFC 5280 §4.2.1.9).
package struct BasicConstraints: Hashable, Sendable {
    package let isCA: Bool
    /// The most CA certificates allowed below this one, not counting self-issued ones.
    package let pathLength: Int?

    package init(_ value: ArraySlice<UInt8>) throws(Rejection) {
        var reader = DERReader(value, code: .malformedCertificate)
        (isCA, pathLength) = try reader.field("basicConstraints") { outer throws(Rejection) in
            let constraints = try outer.sequence { fields throws(Rejection) in
                let isCA = try fields.field("cA") { field throws(Rejection) in try field.booleanDefaultFalse() }
                guard !fields.isAtEnd else { return (isCA, Int?.none) }
                return (isCA, try fields.field("pathLenConstraint") { field throws(Rejection) in try field.smallInteger() })
            }
            try outer.finish("the value")
            return constraints
        }
    }
}

/// The uses for which a key is certified (RFC 5280 §4.2.1.3).
package struct KeyUsage: OptionSet, Hashable, Sendable {
    /// The first octet of the BIT STRING is the low byte; bit 0 of the standard is its top bit.
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let digitalSignature = KeyUsage(rawValue: 0x80)
    package static let keyCertSign = KeyUsage(rawValue: 0x04)
    package static let cRLSign = KeyUsage(rawValue: 0x02)

    /// The names of all uses in the set, in the standard's order.
    package var names: [String] { Self.allNames.filter { contains($0.0) }.map(\.1) }

    private static let allNames: [(KeyUsage, String)] = [
        (digitalSignature, "digitalSignature"), (KeyUsage(rawValue: 0x40), "contentCommitment"),
        (KeyUsage(rawValue: 0x20), "keyEncipherment"), (KeyUsage(rawValue: 0x10), "dataEncipherment"),
        (KeyUsage(rawValue: 0x08), "keyAgreement"), (keyCertSign, "keyCertSign"), (cRLSign, "cRLSign"),
        (KeyUsage(rawValue: 0x01), "encipherOnly"), (KeyUsage(rawValue: 0x8000), "decipherOnly"),
    ]

    /// - Parameter allowsTrailingZeros: only to describe a certificate, never to judge it.
    package init(_ value: ArraySlice<UInt8>, allowsTrailingZeros: Bool = false) throws(Rejection) {
        var reader = DERReader(value, code: .malformedCertificate)
        rawValue = try reader.field("keyUsage") { reader throws(Rejection) in
            let bits = try reader.namedBits(allowsTrailingZeros: allowsTrailingZeros)
            guard let first = bits.first, bits.count <= 2 else { throw reader.rejection("a key usage of \(bits.count) octets") }
            try reader.finish("the value")
            return UInt16(first) | (bits.count == 2 ? UInt16(bits.last ?? 0) << 8 : 0)
        }
    }
}
