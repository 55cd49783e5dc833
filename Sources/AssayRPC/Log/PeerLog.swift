package import Logging

/// Log lines about single peers: limited for each caller, so that a peer can neither fill the disk nor hide another one. What is
/// held back is still counted in the statistics.
package final class PeerLog: Sendable {
    /// Characters of a peer's description that are logged: a certificate may have many names.
    private static let descriptionLimit = 300

    package let logger: Logger
    private let limiter = LogRateLimiter()

    package init(_ logger: Logger) { self.logger = logger }

    /// Warns of a refused call or an ended connection.
    package func warn(
        _ what: String, because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity, _ detail: String = ""
    ) {
        guard let heldBack = limiter.pass("\(what) \(reason)", from: caller) else { return }
        var fields = Self.fields(of: peer.description, reason)
        if case .caller(let name) = caller { fields["caller"] = "\(name)" }
        if !detail.isEmpty { fields["detail"] = "\(detail)" }
        if heldBack > 0 { fields["held_back"] = "\(heldBack)" }
        logger.warning("\(what)", metadata: fields)
    }

    package static func fields(of peer: String, _ reason: String) -> Logger.Metadata {
        ["peer": "\(peer.prefix(descriptionLimit))", "reason": "\(reason)"]
    }
}
