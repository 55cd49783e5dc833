/// What a load is made of: the operations by their names in `--mix`.
package enum LoadKind: String, CaseIterable, Hashable, Sendable {
    /// An upload of a registered iPhone.
    case assertion
    /// The registration of a new iPhone.
    case attestation
    /// An upload of a registered Android device.
    case keySignature = "key-signature"
    /// The registration of a new Android device.
    case keyAttestation = "key-attestation"
    /// An image of a provisioned camera. It needs no challenge.
    case bundle
    /// A challenge alone.
    case challenge

    package enum Maker: Hashable, Sendable { case phone, android, camera }

    /// The device that makes the evidence; `nil`: there is none.
    package var maker: Maker? {
        switch self {
        case .assertion, .attestation: .phone
        case .keySignature, .keyAttestation: .android
        case .bundle: .camera
        case .challenge: nil
        }
    }
}
