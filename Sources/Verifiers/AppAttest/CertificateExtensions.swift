import AssayCore
import AssayEncoding

/// Extension 1.2.840.113635.100.8.2 of the credential certificate: the nonce to which Apple's signature binds the attestation.
///
///     30 24 A1 22 04 20 <32 bytes>        SEQUENCE { [1] { OCTET STRING } }, 38 bytes and no other form
struct NonceExtension {
    static let oid = OID(1, 2, 840, 113_635, 100, 8, 2)
    private static let length = 32

    let nonce: ArraySlice<UInt8>

    /// - Parameter value: the extension's value; `nil` if the certificate has none.
    init(_ value: ArraySlice<UInt8>?) throws(Rejection) {
        guard let value else { throw Rejection(.malformedNonceExtension, "the nonce extension is missing") }
        do throws(Rejection) {
            nonce = try DERReader.parse(value, code: .malformedNonceExtension) { outer throws(Rejection) in
                try outer.sequence { fields throws(Rejection) in
                    try fields.scope(.context(1)) { tagged throws(Rejection) in
                        let nonce = try tagged.octetString()
                        guard nonce.count == Self.length else { throw tagged.rejection("a nonce of \(nonce.count) bytes") }
                        return nonce
                    }
                }
            }
        } catch {
            throw error.locating(in: value, "the extension")
        }
    }
}

/// Extension 1.2.840.113635.100.8.6 of the credential certificate: the operations that the Secure Enclave allows the key.
///
/// On macOS a key is trusted only if the value is exactly this one: system integrity protection on, full security. iOS 27 has
/// the extension too, with another value without meaning here, so its presence does not identify macOS.
enum AccessControlExtension {
    static let oid = OID(1, 2, 840, 113_635, 100, 8, 6)

    /// SEQUENCE { [3] { OCTET STRING of 66 bytes } }, as Apple publishes it for macOS 27.
    static let macOSValue: [UInt8] =
        [0x30, 0x46, 0xA3, 0x44, 0x04, 0x42]
        + (Base64.standard.decode("MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/zAVDARvc2duoAYMBHJzZWMwBaYDAgEB")
            ?? [])

    static func requireMacOS(_ value: ArraySlice<UInt8>?) throws(Rejection) {
        guard let value else { throw Rejection(.aclMissing, "the access control extension is missing") }
        guard value.elementsEqual(macOSValue) else {
            throw Rejection(.aclMismatch, "the access control list is not that of a Mac with full security")
        }
    }
}

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
