package import AssayCore
import SwiftASN1
import X509

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
            guard (1...Self.lengthLimit).contains(text.unicodeScalars.count) else {
                throw .impossible(
                    "its \(kind.rawValue) has \(text.unicodeScalars.count) characters; want 1 to \(Self.lengthLimit)")
            }
            guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
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

    /// As it stands in certificates.
    func der() throws(AuthorityError) -> [UInt8] {
        var serializer = DER.Serializer()
        do { try name.serialize(into: &serializer) } catch { throw .impossible("its subject has no encoding") }
        return serializer.serializedBytes
    }

    var name: X509.DistinguishedName {
        get throws {
            X509.DistinguishedName(
                try attributes.map { attribute in
                    let value: RelativeDistinguishedName.Attribute
                    switch attribute.kind {
                    case .organization:
                        value = .init(type: .RDNAttributeType.organizationName, utf8String: attribute.text)
                    case .organizationalUnit:
                        value = .init(type: .RDNAttributeType.organizationalUnitName, utf8String: attribute.text)
                    case .commonName: value = .init(type: .RDNAttributeType.commonName, utf8String: attribute.text)
                    case .serialNumber:
                        value =
                            attribute.text.utf8.allSatisfy(Self.isPrintable)
                            ? try .init(type: [2, 5, 4, 5], printableString: attribute.text)
                            : .init(type: [2, 5, 4, 5], utf8String: attribute.text)
                    }
                    return RelativeDistinguishedName([value])
                })
        }
    }
}
