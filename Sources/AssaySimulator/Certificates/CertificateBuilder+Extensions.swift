import AssayEncoding
import Crypto

/// Names of the extensions that the simulator writes.
public enum ExtensionName {
    public static let subjectKeyIdentifier = "2.5.29.14"
    public static let keyUsage = "2.5.29.15"
    public static let subjectAlternativeName = "2.5.29.17"
    public static let basicConstraints = "2.5.29.19"
    public static let authorityKeyIdentifier = "2.5.29.35"
    public static let extendedKeyUsage = "2.5.29.37"
    /// The nonce of an attestation.
    public static let appleNonce = "1.2.840.113635.100.8.2"
    /// About the app and its key; undocumented.
    public static let appleKeyFacts = "1.2.840.113635.100.8.5"
    /// The key's access control list.
    public static let appleAccessControl = "1.2.840.113635.100.8.6"
    /// About the operating system; undocumented.
    public static let applePlatformFacts = "1.2.840.113635.100.8.7"
    /// Marks the signer of receipts; undocumented.
    public static let appleReceiptSigner = "1.2.840.113635.100.12.15"
    /// Marks the CA above that signer.
    public static let appleIntegrationCA = "1.2.840.113635.100.6.2.3"
    /// An Android device's description of an attested key.
    public static let keyDescription = "1.3.6.1.4.1.11129.2.1.17"
    /// Information of Google's provisioning service about a device, in CBOR.
    public static let provisioningInfo = "1.3.6.1.4.1.11129.2.1.30"
}

/// Bits of the key usage extension, in their positions in its first octet (RFC 5280 §4.2.1.3).
public struct KeyUsageBits: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let digitalSignature = KeyUsageBits(rawValue: 0x80)
    public static let nonRepudiation = KeyUsageBits(rawValue: 0x40)
    public static let keyEncipherment = KeyUsageBits(rawValue: 0x20)
    public static let dataEncipherment = KeyUsageBits(rawValue: 0x10)
    public static let keyCertSign = KeyUsageBits(rawValue: 0x04)
    public static let cRLSign = KeyUsageBits(rawValue: 0x02)
}

extension CertificateBuilder.Extension {
    public static func basicConstraints(ca: Bool, pathLength: UInt64? = nil, critical: Bool = true) -> Self {
        let parts = (ca ? [DERWriter.boolean(true)] : []) + (pathLength.map { [DERWriter.integer($0)] } ?? [])
        return Self(ExtensionName.basicConstraints, critical: critical, DERWriter.sequence(parts))
    }

    public static func keyUsage(_ usage: KeyUsageBits, critical: Bool = true) -> Self {
        Self(ExtensionName.keyUsage, critical: critical, DERWriter.namedBits([usage.rawValue]))
    }

    /// SHA-1 of the public point, as in Apple's CAs (RFC 5280 §4.2.1.2, method 1).
    public static func subjectKeyIdentifier(_ key: TestSigningKey) -> Self { subjectKeyIdentifier(TestKey(key)) }

    public static func subjectKeyIdentifier(_ key: TestKey) -> Self {
        Self(ExtensionName.subjectKeyIdentifier, DERWriter.octetString(identifier(of: key)))
    }

    public static func authorityKeyIdentifier(_ key: TestSigningKey) -> Self { authorityKeyIdentifier(TestKey(key)) }

    public static func authorityKeyIdentifier(_ key: TestKey) -> Self {
        let identifier = DERWriter.implicit(0, identifier(of: key))
        return Self(ExtensionName.authorityKeyIdentifier, DERWriter.sequence([identifier]))
    }

    /// The attestation nonce: SEQUENCE { [1] EXPLICIT OCTET STRING }.
    public static func appleNonce(_ nonce: [UInt8]) -> Self {
        Self(ExtensionName.appleNonce, DERWriter.sequence([DERWriter.context(1, [DERWriter.octetString(nonce)])]))
    }

    /// A key description, written as DER.
    public static func keyDescription(_ der: [UInt8]) -> Self { Self(ExtensionName.keyDescription, der) }

    /// CBOR without any DER around it.
    public static func provisioningInfo(_ cbor: [UInt8]) -> Self { Self(ExtensionName.provisioningInfo, cbor) }

    private static func identifier(of key: TestKey) -> [UInt8] {
        Array(Insecure.SHA1.hash(data: key.publicKeyBits))
    }
}

/// A name of a certificate's subject (RFC 5280 §4.2.1.6). Values are written unchecked.
public enum SubjectAlternativeName: Hashable, Sendable {
    case uri(String)
    case dns(String)
    /// 4 or 16 bytes.
    case ipAddress([UInt8])

    var der: [UInt8] {
        switch self {
        case .uri(let text): DERWriter.implicit(6, Array(text.utf8))
        case .dns(let text): DERWriter.implicit(2, Array(text.utf8))
        case .ipAddress(let bytes): DERWriter.implicit(7, bytes)
        }
    }
}

extension CertificateBuilder.Extension {
    public static func subjectAlternativeNames(_ names: [SubjectAlternativeName]) -> Self {
        Self(ExtensionName.subjectAlternativeName, DERWriter.sequence(names.map(\.der)))
    }
}
