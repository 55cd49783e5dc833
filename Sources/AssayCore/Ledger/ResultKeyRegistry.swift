/// The public keys under which results are signed: what every daemon on the ledger publishes, and since when each key signs.
///
/// Keys are few, two or three of an issuer at a time. A key is never removed: what it signed can be followed to it for as long as the ledger exists.
public protocol ResultKeyRegistry: Sendable {
    /// Adds each key that the registry does not have, and records each in the audit log. The first key of an issuer signs from the
    /// context's time on; a later one signs once `setSigning` said so. Of daemons that publish first keys of an issuer at the same time, the key
    /// of one signs. Keys that are on record stay as they are, whatever the issuer. Durable on return.
    ///
    /// - Returns: how many were added.
    func publish(_ keys: [ResultPublicKey], _ context: ChangeContext) async throws(LedgerError) -> Int

    /// All keys, in the order in which they were published, which is the same for all daemons.
    func resultKeys() async throws(LedgerError) -> [PublishedResultKey]

    /// Lets a published key sign from an instant on, in place of the key of its issuer that signed before, and records it in the audit log.
    /// A key that signs from that instant on already stays as it is, and nothing is recorded. Durable on return.
    ///
    /// - Returns: the key as it is then; `nil` if none of that identifier is published.
    func setSigning(
        _ identifier: [UInt8], from time: Timestamp, _ context: ChangeContext
    ) async throws(LedgerError) -> PublishedResultKey?
}

/// A public key under which results are signed.
public struct ResultPublicKey: Hashable, Sendable {
    /// Two issuers, so that nothing which a simulated device got can pass for a result of a real one. Raw values are stored.
    public enum Issuer: UInt8, CaseIterable, Hashable, Sendable {
        case devices = 1
        case simulatedDevices = 2

        /// The name in the audit log.
        public var name: String {
            switch self {
            case .devices: "devices"
            case .simulatedDevices: "simulated_devices"
            }
        }
    }

    /// SHA-256 of the JWK's required members (RFC 7638), 32 bytes. `kid` is its base64url.
    public let identifier: [UInt8]
    public let issuer: Issuer
    /// SubjectPublicKeyInfo (DER).
    public let publicKey: [UInt8]

    public init(identifier: [UInt8], issuer: Issuer, publicKey: [UInt8]) {
        (self.identifier, self.issuer, self.publicKey) = (identifier, issuer, publicKey)
    }
}

/// A key as the ledger has it.
public struct PublishedResultKey: Hashable, Sendable {
    public let key: ResultPublicKey
    public let publishedAt: Timestamp
    /// `nil`: it signs nothing yet.
    public var signsFrom: Timestamp?

    public init(_ key: ResultPublicKey, publishedAt: Timestamp, signsFrom: Timestamp? = nil) {
        (self.key, self.publishedAt, self.signsFrom) = (key, publishedAt, signsFrom)
    }
}
