package import AssayCore

/// A file to be inspected, and what is known beside it. Checks that need what is missing are not judged; the others are.
package struct InspectionInput: Sendable {
    package var bytes: [UInt8]
    /// The platform's key id.
    package var keyID: [UInt8]?
    /// What the device was to sign.
    package var clientDataHash: [UInt8]?
    /// Of which `clientDataHash` is the SHA-256; `nil` where only that is known. Some evidence carries it as it is.
    package var clientData: [UInt8]?
    /// The registered key of an assertion, an uncompressed P-256 point of 65 bytes.
    package var publicKey: [UInt8]?
    /// The last accepted counter of the device that made an assertion.
    package var counter: UInt32?
    /// What a challenge is to be used for.
    package var purpose: Purpose?
    /// What is known of revoked Android attestation certificates, as Google's service answers it.
    package var revocation: RevocationSnapshot?
    /// The time of judgement.
    package var now: Timestamp

    package init(bytes: [UInt8], now: Timestamp) { (self.bytes, self.now) = (bytes, now) }
}
