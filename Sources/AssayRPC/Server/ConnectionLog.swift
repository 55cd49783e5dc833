import Logging
import Synchronization

/// What an operator reads of single connections that the server refused or ended: so much that it explains, so little that peers
/// cannot fill the disk. What is left out is counted in the statistics.
final class ConnectionLog: Sendable {
    /// Lines of a kind in a minute.
    static let limit = 20
    /// A peer is described in so many characters: a certificate may have many names.
    static let peerLimit = 300

    /// A kind of warning: calls and connections share reasons.
    private struct Warning: Hashable {
        let what: String
        let reason: String
    }

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
    private let warnings = Mutex<[Warning: WarningQuota]>([:])

    init(_ logger: Logger) { self.logger = logger }

    /// A connection that did not come about.
    func refused(_ refusal: HandshakeRefusal, of peer: String, _ detail: String) {
        guard quotas.withLock({ $0.refused.take() }) else { return }
        logger.notice("refused a connection", metadata: metadata(peer, refusal.rawValue, detail))
    }

    /// A connection that stood, and whose caller is not vouched for any more.
    func ended(_ verdict: PeerCertificateLifetime.Verdict, of peer: String) {
        guard quotas.withLock({ $0.ended.take() }) else { return }
        logger.info("ended a connection", metadata: metadata(peer, verdict.reason.rawValue, verdict.rawValue))
    }

    /// Calls that were refused for want of room.
    func refused(because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity) {
        guard Self.refusalsWorthAWarning.contains(reason) else { return }
        warn("refused a call", reason, peer, caller)
    }

    /// A connection that was ended because of what its peer did or did not do, or for want of room.
    func ended(because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity) {
        guard let detail = Self.endsWorthAWarning[reason] else { return }
        warn("ended a connection", reason, peer, caller, detail)
    }

    /// One line for each reason and caller in a period, within limits.
    private func warn(
        _ what: String, _ reason: String, _ peer: RPCPeer, _ caller: PeerIdentity, _ detail: String = ""
    ) {
        let kind = Warning(what: what, reason: reason)
        guard let heldBack = warnings.withLock({ $0[kind, default: WarningQuota()].take(caller) }) else { return }
        var names = metadata(peer.description, reason, detail)
        if case .caller(let name) = caller { names["caller"] = "\(name)" }
        if detail.isEmpty { names["detail"] = nil }
        if heldBack > 0 { names["held_back"] = "\(heldBack)" }
        logger.warning("\(what)", metadata: names)
    }

    private static let refusalsWorthAWarning: Set<String> = [RPCError.overloaded.reason, RPCError.tooManyCalls.reason]

    private static let endsWorthAWarning: [String: String] = [
        GoAwayReason.emptyFrame.rawValue: "it sent a frame of length 0",
        GoAwayReason.frameTooLarge.rawValue: "it sent a frame longer than the limit",
        GoAwayReason.undecodableFrame.rawValue: "it sent what is no frame",
        GoAwayReason.callIDZero.rawValue: "it sent a call with id 0",
        GoAwayReason.duplicateCallID.rawValue: "it sent a call with the id of one in flight",
        GoAwayReason.frameTimeout.rawValue: "it began a frame and did not finish it",
        GoAwayReason.overloaded.rawValue: "there was no room for a frame that had come in part",
        GoAwayReason.tooManyConnections.rawValue: "there are as many connections as may be",
        EndReason.writeTimeout: "it did not read what was sent to it within the write timeout",
        EndReason.outboundOverflow: "it did not read, and as many answers waited as may",
    ]

    private func metadata(_ peer: String, _ reason: String, _ detail: String) -> Logger.Metadata {
        ["peer": "\(peer.prefix(Self.peerLimit))", "reason": "\(reason)", "detail": "\(detail)"]
    }
}
