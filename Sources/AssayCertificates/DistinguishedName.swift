package import AssayCore
package import AssayEncoding

/// A name of X.501, by its DER. Compared as bytes, never normalised (RFC 5280 §7.1 would allow more).
package struct DistinguishedName: Hashable, Sendable {
    /// Relative names in one name, and attributes in one relative name. The longest seen has 6 of one attribute each.
    package static let partLimit = 16

    package let der: ArraySlice<UInt8>
    private let content: ArraySlice<UInt8>

    package static func == (a: DistinguishedName, b: DistinguishedName) -> Bool { a.der.equals(b.der) }

    package func hash(into hasher: inout Hasher) { der.withUnsafeBytes { hasher.combine(bytes: $0) } }

    package init(der: ArraySlice<UInt8>) throws(Rejection) {
        self = try DERReader.parse(der, code: .malformedCertificate) { reader throws(Rejection) in try Self(from: &reader) }
    }

    init(from reader: inout DERReader) throws(Rejection) {
        let element = try reader.element(.sequence)
        (der, content) = (element.encoded, element.content)
        try walk { _, _ in }
    }

    /// The values of an attribute, in order, as unparsed bytes.
    package func values(of attribute: OID) -> [ArraySlice<UInt8>] {
        attributes.filter { $0.0 == attribute }.map(\.1)
    }

    /// Whether an attribute has a value, as unparsed bytes, for which the predicate holds.
    package func hasValue(of attribute: OID, where isWanted: (ArraySlice<UInt8>) -> Bool = { _ in true }) -> Bool {
        var isFound = false
        // The same walk succeeded when the name was read.
        try? walk { oid, value in isFound = isFound || oid == attribute && isWanted(value.content) }
        return isFound
    }

    /// All attributes, in order.
    var attributes: [(OID, ArraySlice<UInt8>)] {
        var attributes: [(OID, ArraySlice<UInt8>)] = []
        try? walk { oid, value in attributes.append((oid, value.content)) }
        return attributes
    }

    private func walk(_ body: (OID, DERElement) -> Void) throws(Rejection) {
        var names = DERReader(content, code: .malformedCertificate)
        var parts = 0
        while !names.isAtEnd {
            var attributes = DERReader(try names.content(.set), code: .malformedCertificate)
            repeat {
                parts += 1
                guard parts <= Self.partLimit else { throw names.rejection("a name of more than \(Self.partLimit) parts") }
                var fields = DERReader(try attributes.content(.sequence), code: .malformedCertificate)
                let oid = try fields.objectIdentifier()
                body(oid, try fields.element())
                try fields.finish("an attribute")
            } while !attributes.isAtEnd
        }
    }
}

/// Only for people: `CN=…, O=…`, in the order of the certificate. Names are compared by their DER, never by this text.
extension DistinguishedName: CustomStringConvertible {
    package var description: String {
        attributes.map { "\(Self.shortName($0))=\(Self.printable($1))" }.joined(separator: ", ")
    }

    private static func shortName(_ oid: OID) -> String {
        switch oid {
        case OID(2, 5, 4, 3): "CN"
        case OID(2, 5, 4, 5): "serialNumber"
        case OID(2, 5, 4, 6): "C"
        case OID(2, 5, 4, 7): "L"
        case OID(2, 5, 4, 8): "ST"
        case OID(2, 5, 4, 10): "O"
        case OID(2, 5, 4, 11): "OU"
        default: "\(oid)"
        }
    }

    /// The text, or `#` and hexadecimal digits if not all of it is visible (RFC 4514 §2.4).
    private static func printable(_ value: ArraySlice<UInt8>) -> String {
        guard let text = String(validating: value, as: UTF8.self),
            text.firstInvisible == nil
        else { return "#" + Hex.encode(value) }
        return text
    }
}
