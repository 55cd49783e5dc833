/// A list from outside that verdicts depend on, as operators see it.
package protocol TrustFeed: Sendable {
    var name: String { get }
    /// The apps that use it: only callers who may name one of them see it. `nil`: every caller may.
    var apps: Set<AppID>? { get }
    func status(at now: Timestamp) -> TrustFeedStatus

    /// Puts an operator's list in force. Throws a sentence with the reason if it is refused.
    func load(_ text: [UInt8], asOf: Timestamp, force: Bool) async throws(TrustFeedError)
}

extension TrustFeed {
    package var apps: Set<AppID>? { nil }
}

/// The state of a feed.
package struct TrustFeedStatus: Sendable {
    /// The place from which it is fetched.
    package let source: String
    /// False if no app uses it, so that it is not fetched.
    package let isWanted: Bool
    package let snapshot: RevocationSnapshot?
    package let maxAgeMilliseconds: Int64
    /// Why verdicts that need the list cannot be given now; `nil` if they can.
    package let unavailable: String?
    /// Why the last refresh failed; `nil` if it did not.
    package let problem: String?
    package let triedAt: Timestamp?

    package init(
        source: String, isWanted: Bool, snapshot: RevocationSnapshot?, maxAgeMilliseconds: Int64, unavailable: String?,
        problem: String?, triedAt: Timestamp?
    ) {
        self.source = source
        self.isWanted = isWanted
        self.snapshot = snapshot
        self.maxAgeMilliseconds = maxAgeMilliseconds
        self.unavailable = unavailable
        self.problem = problem
        self.triedAt = triedAt
    }
}

/// Why an operator's list is refused.
package struct TrustFeedError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
