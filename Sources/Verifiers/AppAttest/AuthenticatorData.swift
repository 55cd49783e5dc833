import AssayCore
import AssayEncoding
import Crypto

/// Authenticator data, big-endian, in the two forms of App Attest.
///
///     attestation: rpIdHash (32) ‖ flags (1) ‖ signCount (4) ‖ attested credential (50 and the key) [‖ extensions]
///     assertion:   rpIdHash (32) ‖ flags (1) ‖ signCount (4) [‖ extensions]
///
/// An assertion has the AT flag set although no credential follows, so the object determines the form, never the flags.
struct AuthenticatorData {
    struct Flags: OptionSet {
        let rawValue: UInt8
        /// Attested credential data. Must be set in an attestation; has no meaning in an assertion.
        static let attestedCredential = Flags(rawValue: 0x40)
        /// Extension data: the system wrote the map after the fixed part. Clear in some genuine objects that have one (OS 27).
        static let extensionData = Flags(rawValue: 0x80)
    }

    /// SHA-256 of the App ID.
    let rpIDHash: ArraySlice<UInt8>
    let flags: Flags
    let signCount: UInt32
    /// The remaining bytes, for the extensions map.
    let extensionBytes: ArraySlice<UInt8>

    /// Reads the form of an assertion.
    init(assertion bytes: ArraySlice<UInt8>) throws(Rejection) {
        var cursor = ByteCursor(bytes, code: .malformedAuthData)
        (rpIDHash, flags, signCount) = try Self.head(&cursor)
        extensionBytes = cursor.rest
    }

    /// Reads the form of an attestation, with its credential.
    static func attestation(
        _ bytes: ArraySlice<UInt8>
    ) throws(Rejection) -> (AuthenticatorData, AttestedCredential) {
        var cursor = ByteCursor(bytes, code: .malformedAuthData)
        let (rpIDHash, flags, signCount) = try head(&cursor)
        let (credential, rest) = try AttestedCredential.parsePrefix(cursor.rest)
        return (Self(rpIDHash: rpIDHash, flags: flags, signCount: signCount, extensionBytes: rest), credential)
    }

    private init(rpIDHash: ArraySlice<UInt8>, flags: Flags, signCount: UInt32, extensionBytes: ArraySlice<UInt8>) {
        self.rpIDHash = rpIDHash
        self.flags = flags
        self.signCount = signCount
        self.extensionBytes = extensionBytes
    }

    private static func head(_ cursor: inout ByteCursor) throws(Rejection) -> (ArraySlice<UInt8>, Flags, UInt32) {
        let hash = try cursor.take(32)
        let flags = Flags(rawValue: try cursor.byte())
        return (hash, flags, UInt32(truncatingIfNeeded: try cursor.bigEndian(4)))
    }

    /// The extensions after the fixed part. The remaining bytes decide whether there are any, not the flag; a flag without
    /// bytes is rejected. The flag says whether the system wrote them.
    func extensions() throws(Rejection) -> AuthenticatorExtensions {
        try AuthenticatorExtensions(parsing: extensionBytes, isDeclared: flags.contains(.extensionData))
    }
}

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

/// A COSE_Key (RFC 9052 §7) of exactly the five entries of a P-256 key for ES256: `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` with
/// coordinates of 32 bytes, leading zeros included.
struct COSEKey {
    let x: ArraySlice<UInt8>
    let y: ArraySlice<UInt8>

    /// Throws `credential_key_mismatch` for any other form: it cannot be the certified key.
    init(_ item: CBORItem) throws(Rejection) {
        var (x, y): (ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        var parameters = 0
        guard item.kind == .map, item.argument == 5 else { throw Self.mismatch }
        try item.pairs("the key") { (label, value) throws(Rejection) in
            switch label.integer {
            case 1 where value.integer == 2: parameters += 1
            case 3 where value.integer == -7: parameters += 1
            case -1 where value.integer == 1: parameters += 1
            case -2 where value.kind == .byteString && value.content.count == 32: x = value.content
            case -3 where value.kind == .byteString && value.content.count == 32: y = value.content
            default: throw Self.mismatch
            }
        }
        // Labels are distinct, so five accepted entries are the five.
        guard parameters == 3, let x, let y else { throw Self.mismatch }
        (self.x, self.y) = (x, y)
    }

    /// Whether the uncompressed point has these coordinates.
    func isPoint(_ point: ArraySlice<UInt8>) -> Bool {
        point.count == 65 && point.dropFirst().prefix(32).elementsEqual(x) && point.suffix(32).elementsEqual(y)
    }

    private static var mismatch: Rejection {
        Rejection(.credentialKeyMismatch, "the credential public key is not an EC2 key for ES256 on P-256")
    }
}

/// `SHA-256(authenticator data ‖ clientDataHash)`, over the authenticator data as received.
struct AttestedNonce {
    let digest: SHA256.Digest

    init(authenticatorData: ArraySlice<UInt8>, clientDataHash: [UInt8]) {
        var hash = SHA256()
        authenticatorData.withUnsafeBytes { hash.update(bufferPointer: $0) }
        clientDataHash.withUnsafeBytes { hash.update(bufferPointer: $0) }
        digest = hash.finalize()
    }

    /// Whether the bytes are the nonce.
    func equals(_ bytes: ArraySlice<UInt8>) -> Bool { digest.withUnsafeBytes { $0.elementsEqual(bytes) } }

    /// The digest that an assertion's signature covers. The Secure Enclave signs the nonce *as a message*, so it is hashed once
    /// more; a verifier that took the nonce as the digest would refuse every genuine assertion.
    var signedDigest: SHA256.Digest {
        var hash = SHA256()
        digest.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }
}
