/// A list from outside that verdicts depend on, as operators see it.
package protocol TrustFeed: Sendable {
    var name: String { get }
    /// The only apps that use it, so that only callers who may name one of them see it; `nil`: every caller may.
    var apps: Set<AppID>? { get }
    func status(at now: Timestamp) -> TrustFeedStatus

    /// Puts a list in force that an operator brings. Throws a sentence that says why it is not taken.
    func load(_ text: [UInt8], asOf: Timestamp, force: Bool) throws(TrustFeedRefusal)
}

extension TrustFeed {
    package var apps: Set<AppID>? { nil }
}

/// How a feed is.
package struct TrustFeedStatus: Sendable {
    /// Where it comes from.
    package let source: String
    /// False: no app uses it, and so it is not fetched.
    package let isWanted: Bool
    package let snapshot: RevocationSnapshot?
    package let maxAgeMilliseconds: Int64
    /// Why verdicts that need the list cannot be given now; `nil` if they can.
    package let unavailable: String?
    /// Why the last attempt to refresh it failed; `nil` if it did not.
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

extension RevocationKnowledge {
    /// Why nothing is known; `nil` where something is, or no list is consulted.
    package var unavailable: String? { if case .unavailable(let why) = self { why } else { nil } }
}

/// Why a list that an operator brought is not taken.
package struct TrustFeedRefusal: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
