import Logging
import Synchronization

/// Why a connection ended in TLS's handshake. Raw values are counted and logged.
enum HandshakeRefusal: String, Sendable {
    case tooMany = "too_many_handshakes"
    case timeout = "handshake_timeout"
    /// TLS itself: version, certificate, signature, or no TLS at all.
    case failed = "handshake_failed"
    /// The client did not name `assay-rpc/1`.
    case wrongProtocol = "wrong_protocol"
    /// The certificate came from the right CA, but what it says cannot be read, or it is out of date.
    case badCertificate = "bad_certificate"
}

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
