/// A key that was attested elsewhere, as an operator hands it over.
public struct ImportedDevice: Hashable, Sendable {
    /// The kind of evidence that registered it.
    public let format: EvidenceFormat
    /// Uncompressed X9.63 point.
    public let publicKey: [UInt8]
    /// The platform's key id; empty where it follows from the key.
    public let keyID: [UInt8]
    /// The platform's name of the app, as the verifier's configuration writes it.
    public let platformApp: String
    public let environment: String
    /// The highest counter that was accepted elsewhere.
    public let counter: UInt32

    public init(
        format: EvidenceFormat, publicKey: [UInt8], keyID: [UInt8], platformApp: String, environment: String, counter: UInt32
    ) {
        self.format = format
        self.publicKey = publicKey
        self.keyID = keyID
        self.platformApp = platformApp
        self.environment = environment
        self.counter = counter
    }
}

/// Makes registrations of devices that were attested elsewhere, for one app and one kind of evidence.
public protocol DeviceImporter: Sendable {
    /// The registration, marked as imported; it is what an attestation would have registered, as far as that can be known.
    /// Throws where the app's identities would not let the device register.
    func registration(of device: ImportedDevice) throws(Rejection) -> Registration
}

/// What became of a device that was to be imported.
public enum ImportOutcome: Hashable, Sendable {
    /// It is on record now.
    case added(DeviceID)
    /// It was on record before, and nothing was changed.
    case present(DeviceID)
    /// Another record has the key, and nothing was changed.
    case conflict(DeviceID)
    /// Its key or subject is blocked.
    case refused(ReasonCode)
}

extension Device {
    /// Whether this record says all that an imported one does, so that importing it again would add nothing. It may know
    /// more: evidence that was seen here, a subject, a higher counter. A lower counter is a difference: the device was used
    /// elsewhere since.
    public func accounts(for imported: Device) -> Bool {
        let (own, other) = (registration, imported.registration)
        return own.format == other.format && own.keyID == other.keyID && own.publicKey == other.publicKey
            && own.environment == other.environment && own.claims["rp_id_hash"] == other.claims["rp_id_hash"]
            && (imported.subject == nil || imported.subject == subject) && imported.counter <= counter
    }
}
