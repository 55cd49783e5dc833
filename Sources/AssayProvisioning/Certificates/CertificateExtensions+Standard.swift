import AssayCertificates
import AssayCore
import AssayEncoding
import Crypto

/// The extensions of RFC 5280 §4.2 that Assay writes.
extension CertificateExtensions {
    /// The names of all of them.
    static let standard: [OID] = [
        .basicConstraints, .keyUsage, .extendedKeyUsage, .subjectKeyIdentifier, .authorityKeyIdentifier,
        .subjectAlternativeName, .revocationListDistribution,
    ]

    /// Those that each CA has.
    init(ofAuthority key: SubjectPublicKeyInfo, pathLength: UInt8) {
        self.init()
        addAuthority(pathLength: pathLength)
        addKeyUsage([.keyCertSign, .cRLSign])
        addSubjectKey(key.keyIdentifier)
    }

    /// CA:TRUE (§4.2.1.9), critical.
    ///
    /// - Parameter pathLength: how many CAs may stand below.
    private mutating func addAuthority(pathLength: UInt8) {
        add(.basicConstraints, isCritical: true) {
            $0.sequence {
                $0.boolean(true)
                $0.integer(unsigned: [pathLength])
            }
        }
    }

    /// CA:FALSE (§4.2.1.9), critical.
    mutating func addEndEntity() { add(.basicConstraints, isCritical: true) { $0.sequence { _ in } } }

    /// §4.2.1.3, critical. Only uses of the first octet.
    mutating func addKeyUsage(_ usage: KeyUsage) {
        add(.keyUsage, isCritical: true) { $0.append(DERWriter.namedBits([UInt8(truncatingIfNeeded: usage.rawValue)])) }
    }

    /// §4.2.1.12.
    mutating func addExtendedKeyUsage(_ purposes: [KeyPurpose]) {
        add(.extendedKeyUsage) {
            $0.sequence { for purpose in purposes { $0.append(DERWriter.objectIdentifier(purpose.identifier)) } }
        }
    }

    /// §4.2.1.2.
    mutating func addSubjectKey(_ identifier: [UInt8]) { add(.subjectKeyIdentifier) { $0.octetString(identifier) } }

    /// §4.2.1.1, the key identifier alone.
    mutating func addAuthorityKey(_ identifier: [UInt8]) {
        add(.authorityKeyIdentifier) { $0.sequence { $0.implicit(0, identifier) } }
    }

    /// §4.2.1.6: URIs.
    mutating func addAlternativeNames(_ uris: [String]) {
        add(.subjectAlternativeName) { $0.sequence { for uri in uris { $0.implicit(6, uri) } } }
    }

    /// §4.2.1.13: one URI.
    mutating func addRevocationList(at uri: String) {
        add(.revocationListDistribution) {
            $0.sequence { $0.sequence { $0.context(0) { $0.context(0) { $0.implicit(6, uri) } } } }
        }
    }
}

extension SubjectPublicKeyInfo {
    /// SHA-1 of the key's bits (RFC 5280 §4.2.1.2, method 1): a name, which nothing rests on.
    var keyIdentifier: [UInt8] {
        keyBytes.withUnsafeBytes { Insecure.SHA1.hash(bytes: $0) }.withUnsafeBytes { [UInt8]($0) }
    }
}

extension OID {
    static let extendedKeyUsage = OID(2, 5, 29, 37)
    static let subjectKeyIdentifier = OID(2, 5, 29, 14)
    static let authorityKeyIdentifier = OID(2, 5, 29, 35)
    static let revocationListDistribution = OID(2, 5, 29, 31)
}
