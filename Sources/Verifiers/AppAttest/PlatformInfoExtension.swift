import AssayCore
import AssayEncoding

/// Extension 1.2.840.113635.100.8.7 of the credential certificate: the system at the time of enrolment. Undocumented, so
/// reading it is lenient and never fails: unreadable fields are absent.
///
///     SEQUENCE { [1400] { OCTET STRING "17.2.1" }, [1403] { OCTET STRING "21C66" }, … }
struct PlatformInfoExtension {
    static let oid = OID(1, 2, 840, 113_635, 100, 8, 7)
    /// Entries that are read. The longest list seen has 19.
    static let entryLimit = 64
    /// The longest text that is kept, in bytes. The longest seen has 16.
    static let textLimit = 64

    private(set) var osVersion: String?
    private(set) var osBuild: String?

    init(_ value: ArraySlice<UInt8>?) {
        guard let value else { return }
        var outer = DERReader(value, code: .malformedCertificate)
        guard let list = try? outer.element(.sequence) else { return }
        var entries = DERReader(list.content, code: .malformedCertificate)
        for _ in 0..<Self.entryLimit {
            guard !entries.isAtEnd, let entry = try? entries.element() else { return }
            switch entry.tag {
            case .context(1400): osVersion = osVersion ?? Self.text(entry.content)
            case .context(1403): osBuild = osBuild ?? Self.text(entry.content)
            default: continue
            }
        }
    }

    private static func text(_ content: ArraySlice<UInt8>) -> String? {
        var reader = DERReader(content, code: .malformedCertificate)
        guard let bytes = try? reader.octetString(), !bytes.isEmpty, bytes.count <= textLimit else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
