import AssayRPC
import Logging

/// Logs connections that a server refused or ended, within limits: enough to explain, and too little to fill the disk. The
/// statistics count all of them.
package final class ConnectionLog: Sendable {
    private let warnings: PeerLog
    private let limiter = LogRateLimiter(period: .seconds(60), linesOfOneSource: LogRateLimiter.lineLimit)

    init(_ logger: Logger) { warnings = PeerLog(logger) }

    /// A connection whose handshake failed.
    func refused(_ refusal: HandshakeRefusal, of peer: String, _ detail: String) {
        guard limiter.pass("refused") != nil else { return }
        warnings.logger.notice("refused a connection", metadata: fields(peer, refusal.rawValue, detail))
    }

    /// An open connection whose caller's certificate is not valid any more.
    ///
    /// - Parameter reason: what the peer is told.
    package func ended(_ verdict: PeerCertificateLifetime.Verdict, because reason: String, of peer: String) {
        guard limiter.pass("ended") != nil else { return }
        warnings.logger.info("ended a connection", metadata: fields(peer, reason, verdict.rawValue))
    }

    /// A connection that was ended because of what its peer did or failed to do, or for lack of capacity.
    func ended(because reason: String, _ detail: String, _ peer: RPCPeer, _ caller: PeerIdentity) {
        warnings.warn("ended a connection", because: reason, peer, caller, detail)
    }

    private func fields(_ peer: String, _ reason: String, _ detail: String) -> Logger.Metadata {
        var fields = PeerLog.fields(of: peer, reason)
        fields["detail"] = "\(detail)"
        return fields
    }
}
