package import AssayCore
import Foundation
import Synchronization

/// A list of revoked certificates in a file that somebody else keeps up to date: for machines that reach no service.
///
/// Its age is that of the file.
package final class RevocationFile: RevocationSource {
    private struct State {
        var snapshot: RevocationSnapshot
        var modifiedAt: Timestamp
    }

    package let path: String
    /// How old the file may be, in milliseconds.
    package let maxAgeMilliseconds: Int64
    private let state: Mutex<State>

    /// Throws if the file is no list now.
    package init(_ path: String, maxAgeMilliseconds: Int64) throws(FeedProblem) {
        self.path = path
        self.maxAgeMilliseconds = maxAgeMilliseconds
        let (snapshot, modifiedAt) = try Self.read(path)
        state = Mutex(State(snapshot: snapshot, modifiedAt: modifiedAt))
    }

    package func knowledge(at now: Timestamp) -> RevocationKnowledge {
        let snapshot = state.withLock { $0.snapshot }
        let age = now.milliseconds(since: snapshot.feed.asOf)
        guard age <= maxAgeMilliseconds else {
            return .unavailable("the list in \(path) is \(age / 1000) s old, older than it may be")
        }
        return .snapshot(snapshot)
    }

    /// Reads the file again if it has changed. What is no list changes nothing.
    package func refresh() throws(FeedProblem) {
        let known = state.withLock { $0.modifiedAt }
        guard let modifiedAt = Self.modifiedAt(path), modifiedAt != known else { return }
        let (snapshot, time) = try Self.read(path)
        state.withLock { $0 = State(snapshot: snapshot, modifiedAt: time) }
    }

    private static func read(_ path: String) throws(FeedProblem) -> (RevocationSnapshot, Timestamp) {
        guard let modifiedAt = modifiedAt(path), let text = FeedFile.read(path) else {
            throw .unavailable("the file \(path) cannot be read")
        }
        return (try RevocationSnapshot(attestationStatus: text, feed: "file", asOf: modifiedAt), modifiedAt)
    }

    private static func modifiedAt(_ path: String) -> Timestamp? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.modificationDate] as? Date).map {
            Timestamp(unixMilliseconds: Int64($0.timeIntervalSince1970 * 1000))
        }
    }
}
