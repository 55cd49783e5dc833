import AssayRPC
import NIOCore
import NIOSSL
import NIOTLS

/// Follows TLS in the pipeline of an accepted connection until the handshake ends. Then it reads the peer's names from its
/// certificate and puts a ``ServerConnection`` in its own place. A failure closes the connection without a message, since the
/// peer is not authenticated.
final class TLSHandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private struct Unusable: Error, CustomStringConvertible { let description: String }

    private let server: ServerState
    private let tls: ServerTLS
    private let trust: ClientTrustStore
    private let address: String
    private let port: Int
    private let requiresCertificate: Bool
    /// The handshake's place; nil when it is over.
    private var number: ConnectionPlaces.Number?
    private var isOver = false
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - trust: the CAs that the handshake verifies with.
    ///   - requiresCertificate: false: a peer may show no certificate, and then has no names.
    init(
        server: ServerState, tls: ServerTLS, trust: ClientTrustStore, address: String, port: Int,
        requiresCertificate: Bool = true
    ) {
        self.requiresCertificate = requiresCertificate
        (self.server, self.tls, self.trust, self.address, self.port) = (server, tls, trust, address, port)
    }

    func channelActive(context: ChannelHandlerContext) {
        let loop = context.eventLoop
        let handshake = NIOLoopBound((self, context), eventLoop: loop)
        let origin = ConnectionOrigin.address(CountedAddress(address))
        number = server.handshakes.enter(from: origin, at: .handshake) {
            loop.execute {
                let (handler, context) = handshake.value
                handler.refuse(context, .tooMany, "it gave way to a newcomer")
            }
        }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(server.limits.handshakeTimeout)) { [weak self] in
            self?.refuse(context, .timeout, "it takes too long")
        }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? TLSUserEvent {
        case .handshakeCompleted(let negotiated): complete(context, negotiated)
        case .shutdownCompleted, nil: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        refuse(context, .failed, TLSFailure.explain(error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        refuse(context, .failed, "it ended in the handshake")
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { finish() }

    private func complete(_ context: ChannelHandlerContext, _ negotiated: String?) {
        guard !isOver else { return }
        guard negotiated == TLSProtocol.name else {
            return refuse(context, .wrongProtocol, "want ALPN \(TLSProtocol.name), have \(negotiated ?? "none of ours")")
        }
        do {
            var (names, lifetime) = (RPCPeerNames(uris: [], dnsNames: []), PeerCertificateLifetime?.none)
            if let certificate = try certificate(context) {
                lifetime = try self.lifetime(of: certificate)
                names = try tls.naming(try certificate.toDERBytes())
            }
            finish()
            let pipeline = context.pipeline.syncOperations
            try pipeline.addHandler(
                ServerConnection(
                    server: server, peer: .tls(address: address, port: port, names: names), loop: context.eventLoop,
                    certificate: lifetime))
            pipeline.removeHandler(self, promise: nil)
        } catch {
            refuse(context, .badCertificate, "\(error)")
        }
    }

    /// The peer's certificate; `nil` where it may have none.
    private func certificate(_ context: ChannelHandlerContext) throws -> NIOSSLCertificate? {
        let certificate = try context.pipeline.syncOperations.nioSSL_peerCertificate()
        guard certificate != nil || !requiresCertificate else { throw Unusable(description: "there is none") }
        return certificate
    }

    private func lifetime(of certificate: NIOSSLCertificate) throws -> PeerCertificateLifetime {
        let notAfter = Int64(certificate.notValidAfter)
        // A resumed session has the certificate of its first handshake, which may have expired since.
        guard
            let lifetime = PeerCertificateLifetime(notAfter: notAfter, tls, trust, interval: server.limits.certificateInterval)
        else {
            throw Unusable(description: "it has expired")
        }
        return lifetime
    }

    private func refuse(_ context: ChannelHandlerContext, _ refusal: HandshakeRefusal, _ detail: String) {
        guard !isOver else { return }
        finish()
        server.count { $0.endedConnections[refusal.rawValue, default: 0] += 1 }
        server.log.refused(refusal, of: "\(address) port \(port)", detail)
        context.close(promise: nil)
    }

    private func finish() {
        isOver = true
        timer?.cancel()
        timer = nil
        number.map(server.handshakes.leave)
        number = nil
    }
}

/// Why a TLS handshake failed. Raw values are counted and logged.
enum HandshakeRefusal: String, Sendable {
    case tooMany = "too_many_handshakes"
    case timeout = "handshake_timeout"
    /// TLS itself: version, certificate, signature, or no TLS at all.
    case failed = "handshake_failed"
    /// The client did not name `assay-rpc/1`.
    case wrongProtocol = "wrong_protocol"
    /// The certificate is from a configured CA, but cannot be read or has expired.
    case badCertificate = "bad_certificate"
}
