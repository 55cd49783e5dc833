package import AssayCore
import AssayEncoding

/// The subject of a certificate that Assay makes: attributes in the order organization, organizational unit, common name, serial number.
package struct SubjectName: Hashable, Sendable {
    /// Characters of an attribute: a fleet's serial number may have as many. RFC 5280 §A.1 has an upper bound of 64, which readers do not enforce.
    package static let lengthLimit = 255

    private let attributes: [Attribute]

    private struct Attribute: Hashable, Sendable {
        let kind: Kind
        let text: String
    }

    private enum Kind: String, CaseIterable, Sendable {
        case organization
        case organizationalUnit = "organizational unit"
        case commonName = "common name"
        case serialNumber = "serial number"

        var type: OID {
            switch self {
            case .organization: .organizationName
            case .organizationalUnit: .organizationalUnitName
            case .commonName: .commonName
            case .serialNumber: .serialNumberName
            }
        }
    }

    /// Throws `.impossible` for an attribute that is empty, has more than 255 characters, or has control characters.
    package init(
        commonName: String, organization: String? = nil, organizationalUnit: String? = nil, serialNumber: String? = nil
    ) throws(AuthorityError) {
        let texts: [(Kind, String?)] = [
            (.organization, organization), (.organizationalUnit, organizationalUnit), (.commonName, commonName),
            (.serialNumber, serialNumber),
        ]
        var attributes: [Attribute] = []
        for (kind, text) in texts {
            guard let text else { continue }
            // Most texts are visible ASCII.
            let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            let length = isPlain ? text.utf8.count : text.unicodeScalars.count
            guard (1...Self.lengthLimit).contains(length) else {
                throw .impossible("its \(kind.rawValue) has \(length) characters; want 1 to \(Self.lengthLimit)")
            }
            guard isPlain || !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw .impossible("its \(kind.rawValue) has control characters")
            }
            attributes.append(Attribute(kind: kind, text: text))
        }
        self.attributes = attributes
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
        DERWriter.sequence(
            attributes.map { attribute in
                let isPrintable = attribute.kind == .serialNumber && attribute.text.utf8.allSatisfy(Self.isPrintable)
                let value =
                    isPrintable ? DERWriter.printableString(attribute.text) : DERWriter.utf8String(attribute.text)
                return DERWriter.set([DERWriter.sequence([DERWriter.objectIdentifier(attribute.kind.type), value])])
            })
    }
}

extension OID {
    fileprivate static let commonName = OID(2, 5, 4, 3)
    fileprivate static let serialNumberName = OID(2, 5, 4, 5)
    fileprivate static let organizationName = OID(2, 5, 4, 10)
    fileprivate static let organizationalUnitName = OID(2, 5, 4, 11)
}
