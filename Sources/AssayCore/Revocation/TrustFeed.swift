/// A list from outside that verdicts depend on, as operators see it.
package protocol TrustFeed: Sendable {
    var name: String { get }
    var status: TrustFeedStatus { get }

    /// Puts a list in force that an operator brings. Throws a sentence that says why it is not taken.
    func load(_ text: [UInt8], asOf: Timestamp, force: Bool) throws(TrustFeedRefusal)
}

/// How a feed is.
package struct TrustFeedStatus: Sendable {
    /// Where it comes from.
    package let source: String
    /// False: no app uses it, and so it is not fetched.
    package let isWanted: Bool
    package let snapshot: RevocationSnapshot?
    package let maxAgeMilliseconds: Int64
    /// Why the last attempt to refresh it failed; `nil` if it did not.
    package let problem: String?
    package let triedAt: Timestamp?

    package init(
        source: String, isWanted: Bool, snapshot: RevocationSnapshot?, maxAgeMilliseconds: Int64, problem: String?,
        triedAt: Timestamp?
    ) {
        self.source = source
        self.isWanted = isWanted
        self.snapshot = snapshot
        self.maxAgeMilliseconds = maxAgeMilliseconds
        self.problem = problem
        self.triedAt = triedAt
    }
}

/// Why a list that an operator brought is not taken.
package struct TrustFeedRefusal: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
