import AssayCertificates
import AssayCore
import AssayEncoding

/// Assay's extension of a device certificate: `arc.1`, whose ASN.1 is in docs/provisioning/certificates.md.
enum DeviceStatement {
    static let version: UInt64 = 1

    /// Throws `.impossible` for an arc that cannot be written.
    static func `extension`(_ order: CertificateOrder) throws(AuthorityError) -> ExtensionDraft {
        let basis = order.basis
        var fields = [
            DERWriter.integer(version), DERWriter.utf8String(basis.assurance.name),
            DERWriter.utf8String(basis.protection.name), DERWriter.utf8String(basis.platform.rawValue),
            DERWriter.octetString(basis.policyDigest), DERWriter.octetString(order.requestID),
        ]
        // BOOLEAN DEFAULT FALSE: left out if false.
        if basis.simulated { fields.append(DERWriter.boolean(true)) }
        return ExtensionDraft(try identifier(order.profile.extensionArc, 1), DERWriter.sequence(fields))
    }

    static func identifier(_ arc: [UInt64], _ last: UInt64) throws(AuthorityError) -> ObjectIdentifier {
        guard let identifier = ObjectIdentifier(arc + [last]) else { throw .impossible("its extension arc is none") }
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
        for (index, value) in values.enumerated() {
            extensions.append(ExtensionDraft(try DeviceStatement.identifier(arc, UInt64(index) + 1), value))
        }
        return extensions
    }

    /// What a certificate (DER) says under an arc; `nil` unless it says all of it.
    init?(in certificate: [UInt8], arc: [UInt64]) {
        guard let read = try? AssayCertificates.Certificate(der: certificate[...]) else { return nil }
        func value(_ number: UInt64) -> [UInt8]? {
            ObjectIdentifier(arc + [number]).flatMap { OID(dotted: $0.description) }.flatMap { read.value(of: $0) }.map {
                Array($0)
            }
        }
        func number(_ arc: UInt64) -> UInt16? {
            guard let bytes = value(arc), bytes.count == 2 else { return nil }
            return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        }
        func text(_ number: UInt64) -> String? { value(number).flatMap { String(validating: $0, as: UTF8.self) } }
        guard let manufacturer = text(1), let endpoint = text(2), let secret = value(3), secret.count == SealedSecret.length,
            let table = number(4), let index = number(5), let family = text(6)
        else { return nil }
        self.init(
            arc: arc, serial: "", manufacturer: manufacturer, validationEndpoint: endpoint, sealedSecret: secret,
            table: table, keyIndex: index, family: family)
    }

    /// Big-endian.
    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
}
