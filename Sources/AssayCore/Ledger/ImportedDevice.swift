/// A device that was attested elsewhere, as an operator imports it.
public struct ImportedDevice: Hashable, Sendable {
    /// The format of the evidence that registered it.
    public let format: EvidenceFormat
    /// An uncompressed X9.63 point of P-256, 65 bytes.
    public let publicKey: [UInt8]
    /// The platform's key id; empty if it follows from the public key.
    public let keyID: [UInt8]
    /// The platform's name of the app, as in the verifier's configuration.
    public let platformApp: String
    public let environment: String
    /// The highest counter accepted elsewhere.
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

/// Makes registrations of imported devices, for one app and one format of evidence.
public protocol DeviceImporter: Sendable {
    /// The registration that an attestation would have made, as far as it is known, marked as imported. Throws if the app's
    /// configured identities would refuse the device.
    func registration(of device: ImportedDevice) throws(Rejection) -> Registration
}

/// The result of importing one device.
public enum ImportOutcome: Hashable, Sendable {
    /// The device is registered now.
    case added(DeviceID)
    /// An equal record exists. Nothing was changed.
    case present(DeviceID)
    /// A different record has the key. Nothing was changed.
    case conflict(DeviceID)
    /// The key or the subject is blocked.
    case refused(ReasonCode)
}

extension Device {
    /// Whether this record holds everything that an imported one does, so that the import adds nothing. It may hold more: evidence,
    /// a subject, a higher counter. A lower counter is a difference: the device was used elsewhere since.
    public func accounts(for imported: Device) -> Bool {
        let (own, other) = (registration, imported.registration)
        return own.format == other.format && own.keyID == other.keyID && own.publicKey == other.publicKey
            && own.environment == other.environment && own.claims["rp_id_hash"] == other.claims["rp_id_hash"]
            && (imported.subject == nil || imported.subject == subject) && imported.counter <= counter
    }
}
