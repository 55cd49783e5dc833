import AssayCore
import AssayEncoding

/// Assay's extension of a device certificate: `arc.1`, whose ASN.1 is in docs/reference/certificates.md.
enum DeviceStatement {
    static let version: UInt64 = 1

    /// - Parameter identifier: `arc.1`.
    static func `extension`(_ identifier: OID, _ order: CertificateOrder) -> ExtensionDraft {
        let basis = order.basis
        var fields = [
            DERWriter.integer(version), DERWriter.utf8String(basis.assurance.name),
            DERWriter.utf8String(basis.protection.name), DERWriter.utf8String(basis.platform.rawValue),
            DERWriter.octetString(basis.policyDigest), DERWriter.octetString(order.requestID),
        ]
        // BOOLEAN DEFAULT FALSE: left out if false.
        if basis.simulated { fields.append(DERWriter.boolean(true)) }
        return ExtensionDraft(identifier, DERWriter.sequence(fields))
    }

    /// Throws `.impossible` for an arc that cannot be written.
    static func identifier(_ arc: ExtensionArc, _ last: UInt128) throws(AuthorityError) -> OID {
        guard let identifier = OID(arcs: arc.numbers + [last]) else { throw .impossible("its extension arc is none") }
        return identifier
    }
}

extension FleetStatement {
    /// The extensions `arc.1` to `arc.6`: raw bytes in extnValue, without any DER, as readers of camera certificates expect.
    func extensions() throws(AuthorityError) -> [ExtensionDraft] {
        let values: [[UInt8]] = [
            Array(manufacturer.utf8), Array(validationEndpoint.utf8), sealedSecret, Self.bytes(table), Self.bytes(keyIndex),
            Array(family.utf8),
        ]
        var extensions: [ExtensionDraft] = []
        for (number, value) in zip((1 as UInt128)..., values) {
            extensions.append(ExtensionDraft(try DeviceStatement.identifier(arc, number), value))
        }
        return extensions
    }

    /// Big-endian.
    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
}
