import AssayEncoding

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
