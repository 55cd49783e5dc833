import AssayRPC
import NIOCore
import NIOSSL
import NIOTLS

/// Follows TLS in the pipeline of an accepted connection until the handshake ends. Then it reads the peer's names from its
/// certificate and lets the protocol that is served take over. A failure closes the connection without a message, since the
/// peer is not authenticated.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// Where a connection comes from, and what is demanded of it.
    struct Origin {
        let address: String
        let port: Int
        /// False: the peer may show no certificate, and then has no names.
        let requiresCertificate: Bool
    }

    private struct Unusable: Error, CustomStringConvertible { let description: String }

    private let served: any ConnectionProtocol
    private let origin: Origin
    private let register: ConnectionRegister
    private let tls: ServerTLS
    private let trust: ClientTrustStore
    /// The handshake's place; nil when it is over.
    private var number: ConnectionPlaces.Number?
    private var isOver = false
    private var timer: Scheduled<Void>?

    /// - Parameter trust: the CAs that the handshake verifies with.
    init(
        _ served: any ConnectionProtocol, from origin: Origin, _ register: ConnectionRegister, _ tls: ServerTLS,
        _ trust: ClientTrustStore
    ) {
        (self.served, self.origin, self.register, self.tls, self.trust) = (served, origin, register, tls, trust)
    }

    func channelActive(context: ChannelHandlerContext) {
        let loop = context.eventLoop
        let handshake = NIOLoopBound((self, context), eventLoop: loop)
        let source = ConnectionOrigin.address(CountedAddress(origin.address))
        number = register.handshakes.enter(from: source, at: .handshake) {
            loop.execute {
                let (handler, context) = handshake.value
                handler.refuse(context, .tooMany, "it gave way to a newcomer")
            }
        }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(register.limits.handshakeTimeout)) {
            [weak self] in
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
        let names = served.offer.names
        guard !served.offer.isRequired || negotiated.map(names.contains) == true else {
            let wanted = names.joined(separator: ", ")
            return refuse(context, .wrongProtocol, "want ALPN \(wanted), have \(negotiated ?? "none of ours")")
        }
        var (peerNames, lifetime) = (RPCPeerNames(uris: [], dnsNames: []), PeerCertificateLifetime?.none)
        do {
            if let certificate = try certificate(context) {
                lifetime = try self.lifetime(of: certificate)
                peerNames = try tls.naming(try certificate.toDERBytes())
            }
        } catch {
            return refuse(context, .badCertificate, "\(error)")
        }
        finish()
        do {
            try served.serve(
                AcceptedConnection(
                    channel: context.channel, peer: .tls(address: origin.address, port: origin.port, names: peerNames),
                    certificate: lifetime))
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }

    /// The peer's certificate; `nil` where it may have none.
    private func certificate(_ context: ChannelHandlerContext) throws -> NIOSSLCertificate? {
        let certificate = try context.pipeline.syncOperations.nioSSL_peerCertificate()
        guard certificate != nil || !origin.requiresCertificate else { throw Unusable(description: "there is none") }
        return certificate
    }

    private func lifetime(of certificate: NIOSSLCertificate) throws -> PeerCertificateLifetime {
        let notAfter = Int64(certificate.notValidAfter)
        // A resumed session has the certificate of its first handshake, which may have expired since.
        guard
            let lifetime = PeerCertificateLifetime(
                notAfter: notAfter, tls, trust, interval: register.limits.certificateInterval)
        else {
            throw Unusable(description: "it has expired")
        }
        return lifetime
    }

    private func refuse(_ context: ChannelHandlerContext, _ refusal: HandshakeRefusal, _ detail: String) {
        guard !isOver else { return }
        finish()
        register.count { $0.endedConnections[refusal.rawValue, default: 0] += 1 }
        register.log.refused(refusal, of: "\(origin.address) port \(origin.port)", detail)
        context.close(promise: nil)
    }

    private func finish() {
        isOver = true
        timer?.cancel()
        timer = nil
        number.map(register.handshakes.leave)
        number = nil
    }
}

/// Why a TLS handshake failed. Raw values are counted and logged.
enum HandshakeRefusal: String, Sendable {
    case tooMany = "too_many_handshakes"
    case timeout = "handshake_timeout"
    /// TLS itself: version, certificate, signature, or no TLS at all.
    case failed = "handshake_failed"
    /// The client named none of the protocols that are spoken here.
    case wrongProtocol = "wrong_protocol"
    /// The certificate is from a configured CA, but cannot be read or has expired.
    case badCertificate = "bad_certificate"
}
