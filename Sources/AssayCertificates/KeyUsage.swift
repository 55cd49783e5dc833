package import AssayCore
import AssayEncoding

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

    package init(_ value: ArraySlice<UInt8>) throws(Rejection) {
        rawValue = try DERReader.parse(value, code: .malformedCertificate) { reader throws(Rejection) in
            let bits = try reader.namedBits()
            guard let first = bits.first, bits.count <= 2 else { throw reader.rejection("a key usage of \(bits.count) octets") }
            return UInt16(first) | (bits.count == 2 ? UInt16(bits.last ?? 0) << 8 : 0)
        }
    }
}
