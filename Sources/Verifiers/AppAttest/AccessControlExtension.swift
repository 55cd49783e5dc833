import AssayCore
import AssayEncoding

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
