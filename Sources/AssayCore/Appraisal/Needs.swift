/// The list of facts that must be fetched before an appraisal. Each kind of need is in it at most once, as a field: a list of one
/// need costs no allocation, and a further kind is a further field.
public struct Needs: Hashable, Sendable {
    /// The key id of a device: the record that is registered for the app with this key.
    public var deviceKeyID: [UInt8]?
    /// An attestation key, as the SHA-256 of its SubjectPublicKeyInfo: how many devices were registered under it.
    public var attestationKey: [UInt8]?
    /// The app's revocation list.
    public var revocation: Bool
    /// What the app's answer source says about the evidence.
    public var outsideAnswer: Bool

    public init(
        deviceKeyID: [UInt8]? = nil, attestationKey: [UInt8]? = nil, revocation: Bool = false, outsideAnswer: Bool = false
    ) {
        (self.deviceKeyID, self.attestationKey) = (deviceKeyID, attestationKey)
        (self.revocation, self.outsideAnswer) = (revocation, outsideAnswer)
    }

    public static var nothing: Needs { Needs() }
    public static var revocation: Needs { Needs(revocation: true) }
    public static var outsideAnswer: Needs { Needs(outsideAnswer: true) }
    public static func device(keyID: [UInt8]) -> Needs { Needs(deviceKeyID: keyID) }
    public static func attestationKey(_ digest: [UInt8]) -> Needs { Needs(attestationKey: digest) }
}
