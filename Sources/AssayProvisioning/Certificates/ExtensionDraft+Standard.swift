import AssayCertificates
import AssayCore
import AssayEncoding
import Crypto

/// The extensions of RFC 5280 §4.2 that Assay writes.
extension ExtensionDraft {
    /// §4.2.1.9, critical.
    ///
    /// - Parameter pathLength: `nil`: any.
    static func authority(pathLength: UInt64?) -> ExtensionDraft {
        ExtensionDraft(
            .basicConstraints, isCritical: true,
            DERWriter.sequence([DERWriter.boolean(true)] + (pathLength.map { [DERWriter.integer($0)] } ?? [])))
    }

    /// CA:FALSE (§4.2.1.9), critical.
    static let endEntity = ExtensionDraft(.basicConstraints, isCritical: true, DERWriter.sequence([]))

    /// §4.2.1.3, critical. Only uses of the first octet.
    static func keyUsage(_ usage: KeyUsage) -> ExtensionDraft {
        ExtensionDraft(.keyUsage, isCritical: true, DERWriter.namedBits([UInt8(truncatingIfNeeded: usage.rawValue)]))
    }

    /// §4.2.1.12.
    static func extendedKeyUsage(_ purposes: [KeyPurpose]) -> ExtensionDraft {
        ExtensionDraft(.extendedKeyUsage, DERWriter.sequence(purposes.map { DERWriter.objectIdentifier($0.identifier) }))
    }

    /// §4.2.1.2.
    static func subjectKey(_ identifier: [UInt8]) -> ExtensionDraft {
        ExtensionDraft(.subjectKeyIdentifier, DERWriter.octetString(identifier))
    }

    /// §4.2.1.1, the key identifier alone.
    static func authorityKey(_ identifier: [UInt8]) -> ExtensionDraft {
        ExtensionDraft(.authorityKeyIdentifier, DERWriter.sequence([DERWriter.implicit(0, identifier)]))
    }

    /// §4.2.1.6: URIs.
    static func alternativeNames(_ uris: [String]) -> ExtensionDraft {
        ExtensionDraft(
            .subjectAlternativeName, DERWriter.sequence(uris.map { DERWriter.implicit(6, Array($0.utf8)) }))
    }

    /// §4.2.1.13: one URI.
    static func revocationList(at uri: String) -> ExtensionDraft {
        let name = DERWriter.context(0, [DERWriter.context(0, [DERWriter.implicit(6, Array(uri.utf8))])])
        return ExtensionDraft(.revocationListDistribution, DERWriter.sequence([DERWriter.sequence([name])]))
    }
}

extension SubjectPublicKeyInfo {
    /// SHA-1 of the key's bits (RFC 5280 §4.2.1.2, method 1): a name, which nothing rests on.
    var keyIdentifier: [UInt8] { Array(Insecure.SHA1.hash(data: Array(keyBytes))) }
}

extension OID {
    static let extendedKeyUsage = OID(2, 5, 29, 37)
    static let subjectKeyIdentifier = OID(2, 5, 29, 14)
    static let authorityKeyIdentifier = OID(2, 5, 29, 35)
    static let revocationListDistribution = OID(2, 5, 29, 31)
}
