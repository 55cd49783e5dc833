import Logging
import Synchronization

/// The handshakes of a server: how many there may be at once, and a log of those that failed that nobody can flood.
final class Handshakes: Sendable {
    /// Refusals that are logged in a minute; the rest is counted.
    static let logLimit = 20

    private struct State {
        var underWay = 0
        var minute = ContinuousClock.now
        var logged = 0
    }

    private let limit: Int
    private let logger: Logger
    private let state = Mutex(State())

    init(limit: Int, logger: Logger) { (self.limit, self.logger) = (limit, logger) }

    var underWay: Int { state.withLock { $0.underWay } }

    /// False: there are as many as may be. Otherwise ``end()`` has to follow.
    func begin() -> Bool {
        state.withLock { state in
            guard state.underWay < limit else { return false }
            state.underWay += 1
            return true
        }
    }

    func end() { state.withLock { $0.underWay -= 1 } }

    func log(_ refusal: HandshakeRefusal, of peer: String, _ detail: String) {
        let isQuiet = state.withLock { state in
            if state.minute.duration(to: .now) >= .seconds(60) { (state.minute, state.logged) = (.now, 0) }
            state.logged += 1
            return state.logged > Self.logLimit
        }
        guard !isQuiet else { return }
        logger.notice(
            "refused a connection", metadata: ["peer": "\(peer)", "reason": "\(refusal.rawValue)", "detail": "\(detail)"])
    }
}
