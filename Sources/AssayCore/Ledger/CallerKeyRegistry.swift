/// The API keys of callers that have no certificate. The ledger holds a hash of each key and never the key.
///
/// A name is used once: a revoked or expired key stays on record, so that the audit log and the names of earlier requests mean one key.
public protocol CallerKeyRegistry: Sendable {
    /// All keys, also revoked and expired ones, in the order in which they were added.
    func callerKeys() async throws(LedgerError) -> [CallerKey]

    /// Adds a key and records it in the audit log. False, and nothing is changed, if a key of that name or hash is on record, or as many as
    /// `CallerKey.limit`. Durable on return.
    func add(_ key: CallerKey, _ context: ChangeContext) async throws(LedgerError) -> Bool

    /// Revokes a key for good. Returns it as it is then; a key that was revoked before stays as it was, and nothing is recorded. `nil` if no
    /// key has the name. Durable on return.
    func revokeCallerKey(_ name: String, _ context: ChangeContext) async throws(LedgerError) -> CallerKey?
}

/// An API key, without the key itself.
public struct CallerKey: Hashable, Sendable {
    /// The most keys that a ledger holds, revoked and expired ones included.
    public static let limit = 10_000

    /// The name of the caller that has it, 1 to 64 bytes of `a-z`, `0-9`, `.`, `_` and `-`. It is unique among keys.
    public let name: String
    /// SHA-256 of the key, 32 bytes.
    public let hash: [UInt8]
    /// The raw values of the roles.
    public let roles: [String]
    /// `nil`: every app that the configuration allows for keys.
    public let apps: [AppID]?
    public let createdAt: Timestamp
    /// The caller that created it.
    public let createdBy: String
    public let expiry: Timestamp
    public var revokedAt: Timestamp?

    public init(
        name: String, hash: [UInt8], roles: [String], apps: [AppID]?, createdAt: Timestamp, createdBy: String,
        expiry: Timestamp, revokedAt: Timestamp? = nil
    ) {
        (self.name, self.hash, self.roles, self.apps) = (name, hash, roles, apps)
        (self.createdAt, self.createdBy, self.expiry, self.revokedAt) = (createdAt, createdBy, expiry, revokedAt)
    }

    /// Whether it is neither revoked nor expired.
    public func isGood(at now: Timestamp) -> Bool { revokedAt == nil && now < expiry }

    /// Whether a text can be the name of a key.
    public static func isName(_ text: String) -> Bool { AppID(text) != nil }

    /// SHA-256 over the label `assay.caller-key.v1` and name, hash, roles, apps (or `all`) and expiry, each behind its length
    /// (`FieldDigest`): what the audit log has of a key.
    public var digest: [UInt8] {
        var fields = FieldDigest("assay.caller-key.v1")
        fields.append(name)
        fields.append(hash)
        fields.append(UInt64(roles.count))
        for role in roles { fields.append(role) }
        fields.append(apps == nil ? "all" : "some")
        for app in apps ?? [] { fields.append(app.text) }
        fields.append(UInt64(bitPattern: expiry.unixMilliseconds))
        return fields.finalize()
    }
}
