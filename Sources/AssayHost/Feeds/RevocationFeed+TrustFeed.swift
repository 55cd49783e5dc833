package import AssayCore
package import AssayFeeds
package import AssayService

extension RevocationFeed: TrustFeed {
    package var status: TrustFeedStatus {
        let known = report
        return TrustFeedStatus(
            source: known.source, isWanted: known.isWanted, snapshot: known.snapshot,
            maxAgeMilliseconds: known.maxAgeMilliseconds, problem: known.problem, triedAt: known.triedAt)
    }

    package func load(_ text: [UInt8], asOf: Timestamp, force: Bool) throws(TrustFeedRefusal) {
        do throws(FeedProblem) {
            _ = try load(text, asOf: asOf, evenIfShrunken: force)
        } catch {
            throw TrustFeedRefusal(error.description)
        }
    }
}
