package import AssayCore
import Foundation
import Synchronization

/// A revocation list in a file that an operator keeps up to date: for machines without access to the service.
///
/// The age of a list without a time is that of its file. A file dated in the future has no age: its list is not used until that date.
package final class RevocationFile: RevocationSource {
    private struct State {
        var list: RevocationFileFormat.List
        var modifiedAt: Timestamp
        /// Why the file could not be read again, and the time of the attempt.
        var problem: FeedError?
        var triedAt: Timestamp?
    }

    /// A date this far ahead is attributed to another machine's clock, in milliseconds.
    package static let skew: Int64 = 300_000

    package let path: String
    private let format: RevocationFileFormat
    /// The greatest age of the list, in milliseconds.
    package let maxAgeMilliseconds: Int64
    private let state: Mutex<State>

    /// Throws if the file is not a list now.
    package init(
        _ path: String, maxAgeMilliseconds: Int64, format: RevocationFileFormat = .attestationStatus
    ) throws(FeedError) {
        self.path = path
        self.maxAgeMilliseconds = maxAgeMilliseconds
        self.format = format
        let (list, modifiedAt) = try Self.read(path, format)
        state = Mutex(State(list: list, modifiedAt: modifiedAt))
    }

    package var snapshot: RevocationSnapshot { state.withLock { $0.list.snapshot } }

    package func knowledge(at now: Timestamp) -> RevocationKnowledge {
        let list = state.withLock { $0.list }
        let snapshot = list.snapshot
        let age = now.milliseconds(since: snapshot.feed.asOf)
        guard age >= -Self.skew else {
            return .unavailable("the list in \(path) has a date in the future, \(snapshot.feed.asOf): its age is unknown")
        }
        guard age <= maxAgeMilliseconds else {
            return .unavailable("the list in \(path) is \(DurationText.rounded(age)) old, older than it may be")
        }
        guard list.nextUpdate.map({ now <= $0.adding(milliseconds: Self.skew) }) ?? true else {
            return .unavailable("the list in \(path) was to be replaced until \(list.nextUpdate ?? now)")
        }
        return .snapshot(snapshot)
    }

    package func status(at now: Timestamp) -> TrustFeedStatus {
        let unavailable = knowledge(at: now).unavailable
        return state.withLock { state in
            TrustFeedStatus(
                source: path, isWanted: true, snapshot: state.list.snapshot, maxAgeMilliseconds: maxAgeMilliseconds,
                unavailable: unavailable, problem: state.problem?.description, triedAt: state.triedAt)
        }
    }

    /// Reads the file again if it changed, is gone, or was unreadable the last time. A file that is not a list changes nothing,
    /// and neither does one that its format does not accept in place of the earlier: only a reload of the configuration accepts that.
    package func refresh(at now: Timestamp) throws(FeedError) {
        let (known, failed) = state.withLock { ($0.modifiedAt, $0.problem != nil) }
        guard failed || Self.modifiedAt(path) != known else { return }
        do throws(FeedError) {
            let (list, time) = try Self.read(path, format)
            try format.check(list, after: state.withLock { $0.list })
            state.withLock { $0 = State(list: list, modifiedAt: time, triedAt: now) }
        } catch {
            state.withLock { ($0.problem, $0.triedAt) = (error, now) }
            throw error
        }
    }

    private static func read(
        _ path: String, _ format: RevocationFileFormat
    ) throws(FeedError) -> (RevocationFileFormat.List, Timestamp) {
        guard let modifiedAt = modifiedAt(path), let text = CachedFeedFile.read(path) else {
            throw .unavailable("the file \(path) cannot be read: \(reason(path))")
        }
        return (try format.read(text, modifiedAt), modifiedAt)
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
