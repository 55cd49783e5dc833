package import AssayCore
import AssayEncoding

/// The subject of a certificate that Assay makes: attributes in the order organization, organizational unit, common name, serial number.
package struct SubjectName: Hashable, Sendable {
    /// Characters of an attribute: a fleet's serial number may have as many. RFC 5280 §A.1 has an upper bound of 64, which readers do not enforce.
    package static let lengthLimit = 255

    private let organization: String?
    private let organizationalUnit: String?
    private let commonName: String
    private let serialNumber: String?

    /// Throws `.impossible` for an attribute that is empty, has more than 255 characters, or has control characters.
    package init(
        commonName: String, organization: String? = nil, organizationalUnit: String? = nil, serialNumber: String? = nil
    ) throws(AuthorityError) {
        if let organization { try Self.check(organization, "organization") }
        if let organizationalUnit { try Self.check(organizationalUnit, "organizational unit") }
        try Self.check(commonName, "common name")
        if let serialNumber { try Self.check(serialNumber, "serial number") }
        (self.organization, self.organizationalUnit) = (organization, organizationalUnit)
        (self.commonName, self.serialNumber) = (commonName, serialNumber)
    }

    private static func check(_ text: String, _ attribute: String) throws(AuthorityError) {
        // Most texts are visible ASCII.
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        let length = isPlain ? text.utf8.count : text.unicodeScalars.count
        guard (1...lengthLimit).contains(length) else {
            throw .impossible("its \(attribute) has \(length) characters; want 1 to \(lengthLimit)")
        }
        guard isPlain || !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .impossible("its \(attribute) has control characters")
        }
    }

    /// PrintableString (X.680 §41.4), which a serialNumber is by RFC 5280 §A.1. One with other characters, such as `_`, is a UTF8String: manufacturers use them, and
    /// readers accept it.
    private static func isPrintable(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "'()+,-./:=? ".utf8.contains(byte)
        }
    }

    /// As it stands in certificates: a relative name for each attribute.
    var der: [UInt8] {
        var buffer = DERBuffer(capacity: 128)
        write(to: &buffer)
        return buffer.octets
    }

    /// As it stands in certificates.
    func write(to buffer: inout DERBuffer) {
        buffer.sequence {
            if let organization { Self.write(.organizationName, to: &$0) { $0.utf8String(organization) } }
            if let organizationalUnit { Self.write(.organizationalUnitName, to: &$0) { $0.utf8String(organizationalUnit) } }
            Self.write(.commonName, to: &$0) { $0.utf8String(commonName) }
            if let serialNumber {
                Self.write(.serialNumberName, to: &$0) {
                    if serialNumber.utf8.allSatisfy(Self.isPrintable) {
                        $0.printableString(serialNumber)
                    } else {
                        $0.utf8String(serialNumber)
                    }
                }
            }
        }
    }

    private static func write(_ type: OID, to buffer: inout DERBuffer, _ value: (inout DERBuffer) -> Void) {
        buffer.set {
            $0.sequence {
                $0.objectIdentifier(type)
                value(&$0)
            }
        }
    }
}

extension OID {
    fileprivate static let commonName = OID(2, 5, 4, 3)
    fileprivate static let serialNumberName = OID(2, 5, 4, 5)
    fileprivate static let organizationName = OID(2, 5, 4, 10)
    fileprivate static let organizationalUnitName = OID(2, 5, 4, 11)
}
