import AssayCore
import AssayEncoding

/// Assay's extension of a device certificate: `arc.1`, whose ASN.1 is in docs/reference/certificates.md.
enum DeviceStatement {
    static let version: UInt8 = 1

    static func write(_ order: CertificateOrder, to buffer: inout DERBuffer) {
        let basis = order.basis
        buffer.sequence {
            $0.integer(unsigned: [version])
            $0.utf8String(basis.assurance.name)
            $0.utf8String(basis.protection.name)
            $0.utf8String(basis.platform.rawValue)
            $0.octetString(basis.policyDigest)
            $0.octetString(order.requestID)
            // BOOLEAN DEFAULT FALSE: left out if false.
            if basis.simulated { $0.boolean(true) }
        }
    }
}

extension FleetStatement {
    /// The extensions `arc.1` to `arc.6`.
    static let extensionCount: UInt128 = 6

    /// The content of each extension, in order: raw bytes in extnValue, without any DER, as readers of camera certificates expect.
    var extensionContents: [[UInt8]] {
        [
            Array(manufacturer.utf8), Array(validationEndpoint.utf8), sealedSecret, Self.bytes(table), Self.bytes(keyIndex),
            Array(family.utf8),
        ]
    }

    /// Big-endian.
    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
}
