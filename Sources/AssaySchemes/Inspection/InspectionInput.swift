package import AssayCore

/// A file to inspect, with further inputs. Checks whose input is missing are not judged; the others are.
package struct InspectionInput: Sendable {
    package var bytes: [UInt8]
    /// The platform's key id.
    package var keyID: [UInt8]?
    /// The hash that the device was expected to sign.
    package var clientDataHash: [UInt8]?
    /// The preimage of `clientDataHash`; `nil` if only the hash is known. Some evidence contains it unhashed.
    package var clientData: [UInt8]?
    /// The registered key of an assertion, an uncompressed P-256 point of 65 bytes.
    package var publicKey: [UInt8]?
    /// The last accepted counter of the device that made an assertion.
    package var counter: UInt32?
    /// The intended purpose of a challenge.
    package var purpose: Purpose?
    /// The revocation list of Android attestation certificates, in the format of Google's service.
    package var revocation: RevocationSnapshot?
    /// The time of the appraisal.
    package var now: Timestamp

    package init(bytes: [UInt8], now: Timestamp) { (self.bytes, self.now) = (bytes, now) }
}
