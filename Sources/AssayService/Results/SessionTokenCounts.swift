import AssayCore
import Synchronization

/// The session tokens of each device that have not ended, for apps that limit them.
///
/// The counts are in the memory of this process: of several daemons each has its own, and a start begins at none. What a token says is bounded
/// by its life in any case.
package final class SessionTokenCounts: Sendable {
    /// Devices that are counted at a time. While as many have tokens, others get theirs uncounted.
    static let deviceLimit = 262_144
    /// So often devices are left out whose tokens have ended, in milliseconds.
    fileprivate static let purgePeriod: Int64 = 60_000

    fileprivate struct State {
        /// When the tokens end.
        var ends: [DeviceID: [Timestamp]] = [:]
        var purgedAt = Timestamp.distantPast
    }
    private let state = Mutex(State())

    package init() {}

    /// Counts a token of a device that is about to be signed. False: it has as many as it may have.
    func take(_ device: DeviceID, until end: Timestamp, atMost limit: Int, at now: Timestamp) -> Bool {
        state.withLock { state in
            state.purge(at: now)
            let live = state.ends[device, default: []].filter { $0 > now }
            guard live.count < limit else { return false }
            if !live.isEmpty || state.ends.count < Self.deviceLimit { state.ends[device] = live + [end] }
            return true
        }
    }

    /// Gives back what was counted for a token that was not signed after all.
    func giveBack(_ device: DeviceID, until end: Timestamp) {
        state.withLock { state in
            guard let place = state.ends[device]?.lastIndex(of: end) else { return }
            state.ends[device]?.remove(at: place)
        }
    }

    /// Devices that are counted now.
    var count: Int { state.withLock { $0.ends.count } }
}

extension SessionTokenCounts.State {
    fileprivate mutating func purge(at now: Timestamp) {
        guard now.milliseconds(since: purgedAt) >= SessionTokenCounts.purgePeriod else { return }
        purgedAt = now
        ends = ends.filter { $0.value.contains { $0 > now } }
    }
}
