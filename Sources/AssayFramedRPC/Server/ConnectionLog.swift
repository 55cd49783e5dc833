import AssayRPC
import Logging

/// Logs connections that the server refused or ended, within limits: enough to explain, and too little to fill the disk. The
/// statistics count all of them.
final class ConnectionLog: Sendable {
    private let warnings: PeerLog
    private let limiter = LogRateLimiter(period: .seconds(60), linesOfOneSource: LogRateLimiter.lineLimit)

    init(_ logger: Logger) { warnings = PeerLog(logger) }

    /// A connection whose handshake failed.
    func refused(_ refusal: HandshakeRefusal, of peer: String, _ detail: String) {
        guard limiter.pass("refused") != nil else { return }
        warnings.logger.notice("refused a connection", metadata: fields(peer, refusal.rawValue, detail))
    }

    /// An open connection whose caller's certificate is not valid any more.
    func ended(_ verdict: PeerCertificateLifetime.Verdict, of peer: String) {
        guard limiter.pass("ended") != nil else { return }
        warnings.logger.info("ended a connection", metadata: fields(peer, verdict.reason.rawValue, verdict.rawValue))
    }

    /// A connection that was ended because of what its peer did or failed to do, or for lack of capacity.
    func ended(because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity) {
        guard let detail = Self.loggedEnds[reason] else { return }
        warnings.warn("ended a connection", because: reason, peer, caller, detail)
    }

    private static let loggedEnds: [String: String] = [
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

    private func fields(_ peer: String, _ reason: String, _ detail: String) -> Logger.Metadata {
        var fields = PeerLog.fields(of: peer, reason)
        fields["detail"] = "\(detail)"
        return fields
    }
}
