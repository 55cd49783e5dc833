import AssayCore
import AssayEncoding

/// Authenticator data, big-endian, in the two shapes that App Attest has.
///
///     attestation: rpIdHash (32) ‖ flags (1) ‖ signCount (4) ‖ attested credential (50 and the key) [‖ extensions]
///     assertion:   rpIdHash (32) ‖ flags (1) ‖ signCount (4) [‖ extensions]
///
/// An assertion has the AT flag set although no credential follows, so the shape is known from the object, never from flags.
struct AuthenticatorData {
    struct Flags: OptionSet {
        let rawValue: UInt8
        /// Attested credential data. Must be set in an attestation; means nothing in an assertion.
        static let attestedCredential = Flags(rawValue: 0x40)
        /// Extension data: the system vouches for the map behind the fixed part. Clear in some genuine objects that have one (OS 27).
        static let extensionData = Flags(rawValue: 0x80)
    }

    /// SHA-256 of the App ID.
    let rpIDHash: ArraySlice<UInt8>
    let flags: Flags
    let signCount: UInt32
    /// What is left for the extensions map.
    let extensionBytes: ArraySlice<UInt8>

    /// The shape of an assertion.
    init(assertion bytes: ArraySlice<UInt8>) throws(Rejection) {
        var cursor = ByteCursor(bytes, code: .malformedAuthData)
        (rpIDHash, flags, signCount) = try Self.head(&cursor)
        extensionBytes = cursor.rest
    }

    /// The shape of an attestation, with the credential that it holds.
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

    /// The extensions behind the fixed part. What remains decides whether there are any, not the flag; but a flag with nothing
    /// behind it is refused. Whether they are the system's, the flag says.
    func extensions() throws(Rejection) -> AuthenticatorExtensions {
        try AuthenticatorExtensions(parsing: extensionBytes, isDeclared: flags.contains(.extensionData))
    }
}
