import AssayCore
import AssayEncoding

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

    /// The text, or `#` and hexadecimal digits if it is not printable (RFC 4514 §2.4).
    private static func printable(_ value: ArraySlice<UInt8>) -> String {
        guard let text = String(validating: value, as: UTF8.self),
            !text.unicodeScalars.contains(where: { [.control, .format].contains($0.properties.generalCategory) })
        else { return "#" + Hex.encode(value) }
        return text
    }
}
