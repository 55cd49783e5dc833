import AssayCore
import AssayEncoding

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
