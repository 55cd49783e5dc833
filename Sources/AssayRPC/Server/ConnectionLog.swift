import Logging
import Synchronization

/// What an operator reads of single connections that the server refused or ended: so much that it explains, so little that peers
/// cannot fill the disk. What is left out is counted in the statistics.
final class ConnectionLog: Sendable {
    /// Lines of a kind in a minute.
    static let limit = 20
    /// A peer is described in so many characters: a certificate may have many names.
    static let peerLimit = 300

    /// Lines of one kind.
    private struct Quota {
        var minute = ContinuousClock.now
        var lines = 0

        mutating func take() -> Bool {
            if minute.duration(to: .now) >= .seconds(60) { (minute, lines) = (.now, 0) }
            lines += 1
            return lines <= ConnectionLog.limit
        }
    }

    private let logger: Logger
    private let quotas = Mutex((refused: Quota(), ended: Quota()))

    init(_ logger: Logger) { self.logger = logger }

    /// A connection that did not come about.
    func refused(_ refusal: HandshakeRefusal, of peer: String, _ detail: String) {
        guard quotas.withLock({ $0.refused.take() }) else { return }
        logger.notice("refused a connection", metadata: metadata(peer, refusal.rawValue, detail))
    }

    /// A connection that stood, and whose caller is not vouched for any more.
    func ended(_ verdict: CertificateTerm.Verdict, of peer: String) {
        guard quotas.withLock({ $0.ended.take() }) else { return }
        logger.info("ended a connection", metadata: metadata(peer, verdict.reason.rawValue, verdict.rawValue))
    }

    private func metadata(_ peer: String, _ reason: String, _ detail: String) -> Logger.Metadata {
        ["peer": "\(peer.prefix(Self.peerLimit))", "reason": "\(reason)", "detail": "\(detail)"]
    }
}
