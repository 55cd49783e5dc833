package import AssayCore
import Foundation
import Synchronization

/// A revocation list in a file that an operator keeps up to date: for machines without access to the service.
///
/// Its age is the file's. A file dated in the future has no age: its list is not used until that date.
package final class RevocationFile: RevocationSource {
    private struct State {
        var snapshot: RevocationSnapshot
        var modifiedAt: Timestamp
        /// Why the file could not be read again, and the time of the attempt.
        var problem: FeedError?
        var triedAt: Timestamp?
    }

    /// A date this far ahead is attributed to another machine's clock, in milliseconds.
    package static let skew: Int64 = 300_000

    package let path: String
    /// The greatest age of the file, in milliseconds.
    package let maxAgeMilliseconds: Int64
    private let state: Mutex<State>

    /// Throws if the file is not a list now.
    package init(_ path: String, maxAgeMilliseconds: Int64) throws(FeedError) {
        self.path = path
        self.maxAgeMilliseconds = maxAgeMilliseconds
        let (snapshot, modifiedAt) = try Self.read(path)
        state = Mutex(State(snapshot: snapshot, modifiedAt: modifiedAt))
    }

    package var snapshot: RevocationSnapshot { state.withLock { $0.snapshot } }

    package func knowledge(at now: Timestamp) -> RevocationKnowledge {
        let snapshot = snapshot
        let age = now.milliseconds(since: snapshot.feed.asOf)
        guard age >= -Self.skew else {
            return .unavailable("the list in \(path) has a date in the future, \(snapshot.feed.asOf): its age is unknown")
        }
        guard age <= maxAgeMilliseconds else {
            return .unavailable("the list in \(path) is \(age / 1000) s old, older than it may be")
        }
        return .snapshot(snapshot)
    }

    package func status(at now: Timestamp) -> TrustFeedStatus {
        let unavailable = knowledge(at: now).unavailable
        return state.withLock { state in
            TrustFeedStatus(
                source: path, isWanted: true, snapshot: state.snapshot, maxAgeMilliseconds: maxAgeMilliseconds,
                unavailable: unavailable, problem: state.problem?.description, triedAt: state.triedAt)
        }
    }

    /// Reads the file again if it changed, is gone, or was unreadable the last time. A file that is not a list changes nothing,
    /// and neither does a list that shrank by more than a quarter: only a reload of the configuration accepts that.
    package func refresh(at now: Timestamp) throws(FeedError) {
        let (known, failed) = state.withLock { ($0.modifiedAt, $0.problem != nil) }
        guard failed || Self.modifiedAt(path) != known else { return }
        do throws(FeedError) {
            let (snapshot, time) = try Self.read(path)
            let before = self.snapshot.count
            guard snapshot.count * 100 >= before * RevocationFeed.shrinkPercent, snapshot.count > 0 || before == 0 else {
                throw FeedError.shrunken(from: before, to: snapshot.count)
            }
            state.withLock { $0 = State(snapshot: snapshot, modifiedAt: time, triedAt: now) }
        } catch {
            state.withLock { ($0.problem, $0.triedAt) = (error, now) }
            throw error
        }
    }

    private static func read(_ path: String) throws(FeedError) -> (RevocationSnapshot, Timestamp) {
        guard let modifiedAt = modifiedAt(path), let text = CachedFeedFile.read(path) else {
            throw .unavailable("the file \(path) cannot be read: \(reason(path))")
        }
        return (try RevocationSnapshot(attestationStatus: text, feed: "file", asOf: modifiedAt), modifiedAt)
    }

    /// Why a file cannot be read, for people.
    private static func reason(_ path: String) -> String {
        access(path, R_OK) == 0 ? "it is not a regular file, or too large" : String(cString: strerror(errno))
    }

    private static func modifiedAt(_ path: String) -> Timestamp? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.modificationDate] as? Date).map {
            Timestamp(unixMilliseconds: Int64($0.timeIntervalSince1970 * 1000))
        }
    }
}
