import AssayCore
import AssayEncoding

/// The attested credential data of an attestation.
///
///     aaguid (16) ‖ credentialIdLength (2) = 32 ‖ credentialId (32) ‖ COSE_Key (77)
struct AttestedCredential {
    static let idLength = 32

    let aaguid: ArraySlice<UInt8>
    /// SHA-256 of the public key's point: the key id.
    let id: ArraySlice<UInt8>
    /// One well-formed data item; `COSEKey` reads it.
    let key: CBORItem

    /// Reads the credential at the start of the bytes, and returns the rest.
    static func parsePrefix(
        _ bytes: ArraySlice<UInt8>
    ) throws(Rejection) -> (AttestedCredential, rest: ArraySlice<UInt8>) {
        var cursor = ByteCursor(bytes, code: .malformedAuthData)
        let aaguid = try cursor.take(16)
        let length = try cursor.bigEndian(2)
        guard length == UInt64(idLength) else { throw cursor.rejection("a credential id of \(length) bytes") }
        let id = try cursor.take(idLength)
        let (key, rest) = try CBORReader.parsePrefix(cursor.rest, code: .malformedAuthData)
        return (AttestedCredential(aaguid: aaguid, id: id, key: key), rest)
    }
}
