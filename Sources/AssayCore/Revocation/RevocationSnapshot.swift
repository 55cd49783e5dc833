/// One version of a list of revoked certificates, by serial number.
///
/// A class: every request of a while holds the same one.
public final class RevocationSnapshot: Sendable {
    public enum Status: Hashable, Sendable {
        case revoked
        case suspended
        /// A word that this version does not know; it counts as revoked.
        case other(String)

        /// As lists write it.
        public var text: String {
            switch self {
            case .revoked: "REVOKED"
            case .suspended: "SUSPENDED"
            case .other(let word): word
            }
        }

        public init(text: String) {
            if text.hasBytes(of: Self.revoked.text) {
                self = .revoked
            } else if text.hasBytes(of: Self.suspended.text) {
                self = .suspended
            } else {
                self = .other(text)
            }
        }
    }

    public struct Entry: Hashable, Sendable {
        public let status: Status
        /// The list's own word for why; empty where it gives none.
        public let reason: String
        public init(_ status: Status, reason: String = "") { (self.status, self.reason) = (status, reason) }
    }

    /// Which list it is, and which version.
    public let feed: FeedVersion
    /// By serial number: an unsigned big-endian integer without leading zeros.
    private let entries: [[UInt8]: Entry]

    public init(feed: FeedVersion, entries: [[UInt8]: Entry]) {
        self.feed = feed
        self.entries = Dictionary(entries.map { (SerialNumber.magnitude($0.key), $0.value) }, uniquingKeysWith: Self.worse)
    }

    public var count: Int { entries.count }
    /// All entries, by their serial numbers as integers.
    public var inOrder: [(serial: [UInt8], entry: Entry)] {
        entries.sorted { a, b in
            a.key.count == b.key.count ? a.key.lexicographicallyPrecedes(b.key) : a.key.count < b.key.count
        }.map { ($0.key, $0.value) }
    }

    /// - Parameter serial: an unsigned big-endian integer; leading zeros do not matter.
    public subscript(serial: [UInt8]) -> Entry? { entries[SerialNumber.magnitude(serial)] }

    /// Of two entries for one number the one that is not lifted again.
    private static func worse(_ a: Entry, _ b: Entry) -> Entry { a.status == .suspended ? b : a }
}

/// What is known of revoked certificates when a verdict is reached.
public enum RevocationKnowledge: Sendable {
    /// The app runs without a list: the verdict says so.
    case notConsulted
    case snapshot(RevocationSnapshot)
    /// There is no list, or none that is young enough. A sentence says why.
    case unavailable(String)
}

/// Where an app's list of revoked certificates comes from. Asked once for each request, and never does I/O.
public protocol RevocationSource: Sendable {
    func knowledge(at now: Timestamp) -> RevocationKnowledge
}

/// A trust feed's version, as a verdict names it.
public struct FeedVersion: Hashable, Sendable {
    /// The feed, e.g. `google-attestation-status`.
    public let name: String
    /// The first 16 hex digits of the SHA-256 of what was read.
    public let id: String
    /// When it was last known to be the latest.
    public let asOf: Timestamp
    public init(name: String, id: String, asOf: Timestamp) { (self.name, self.id, self.asOf) = (name, id, asOf) }
}
