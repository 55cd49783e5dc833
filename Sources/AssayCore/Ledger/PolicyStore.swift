/// The ledger's policies: the text of each one that ever judged an app, by the digest that verdicts name.
///
/// Policies are few, and are never removed: each is kept before it judges.
public protocol PolicyStore: Sendable {
    /// Keeps each policy, unless one of its digest is kept. Durable on return.
    func keep(policies: [StoredPolicy]) async throws(LedgerError)

    /// The policies whose digest begins with these bytes: at most two, because one is wanted.
    func policies(beginning prefix: [UInt8]) async throws(LedgerError) -> [StoredPolicy]

    /// One page of policies, the newest first.
    func policies(_ listing: PolicyListing) async throws(LedgerError) -> PolicyPage
}

/// A policy as the ledger keeps it.
public struct StoredPolicy: Hashable, Sendable {
    /// SHA-256, 32 bytes.
    public let digest: [UInt8]
    public let app: AppID
    /// ASCII, at most about 1 MiB.
    public let text: String
    /// When a daemon first put it in force with this ledger. Policies of earlier versions have no text.
    public let firstSeen: Timestamp

    public init(digest: [UInt8], app: AppID, text: String, firstSeen: Timestamp) {
        (self.digest, self.app, self.text, self.firstSeen) = (digest, app, text, firstSeen)
    }
}

/// Selects policies.
public struct PolicyListing: Hashable, Sendable {
    /// `nil`: of all apps.
    public var app: AppID?
    /// The number of the last policy on the page before.
    public var position: Int64
    /// The most policies on the page.
    public var limit: Int

    public init(app: AppID? = nil, position: Int64 = .max, limit: Int) {
        (self.app, self.position, self.limit) = (app, position, limit)
    }
}

public struct PolicyPage: Hashable, Sendable {
    /// What a listing shows of a policy.
    public struct Row: Hashable, Sendable {
        public let digest: [UInt8]
        public let app: AppID
        public let firstSeen: Timestamp
        /// Of the text, in bytes.
        public let size: Int

        public init(digest: [UInt8], app: AppID, firstSeen: Timestamp, size: Int) {
            (self.digest, self.app, self.firstSeen, self.size) = (digest, app, firstSeen, size)
        }
    }

    /// The newest first.
    public let rows: [Row]
    /// `nil`: this is the last page.
    public let next: Int64?

    public init(rows: [Row], next: Int64?) { (self.rows, self.next) = (rows, next) }
}
