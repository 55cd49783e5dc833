/// The ledger's wrapped secrets: challenge keys, the subject key, the audit key.
///
/// Several daemons may share a ledger: `add` keeps the first of concurrent secrets of one name and number and returns it to all.
public protocol SecretStore: Sendable {
    /// All secrets, in no order.
    func secrets() async throws(LedgerError) -> [WrappedSecret]

    /// Adds a secret unless one of that name and number exists, and returns the stored one. Durable on return.
    func add(_ secret: WrappedSecret) async throws(LedgerError) -> WrappedSecret

    /// Removes a secret if it exists. Durable on return.
    func removeSecret(name: String, number: UInt32) async throws(LedgerError)
}

/// A secret as the ledger stores it: wrapped (RFC 3394) with a key that the ledger does not hold.
public struct WrappedSecret: Hashable, Sendable {
    /// The name of the keys that challenges are issued under.
    package static let challengeKeys = "challenge"

    public let name: String
    public let number: UInt32
    public let wrapped: [UInt8]
    public let createdAt: Timestamp
    public init(name: String, number: UInt32, wrapped: [UInt8], createdAt: Timestamp) {
        (self.name, self.number, self.wrapped, self.createdAt) = (name, number, wrapped, createdAt)
    }
}
