import NIOCore
import NIOSSL
import NIOTLS
import Synchronization

/// Follows TLS in the pipeline of a client's connection, and keeps the first TLS error: the server verifies the client's certificate
/// after the client's side of the handshake has ended, so the error arrives late.
final class ClientHandshake: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let serverName: String?
    private let failure = Mutex<String?>(nil)

    /// - Parameter serverName: the DNS name that the server's certificate must have; nil: TLS verifies the address.
    init(serverName: String?) { self.serverName = serverName }

    /// The first error.
    var problem: String? { failure.withLock { $0 } }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            if negotiated != TLSProtocol.name {
                end(context, "the server does not speak \(TLSProtocol.name)")
            } else if let serverName, !names(context).contains(serverName.lowercased()) {
                end(context, "the server's certificate does not have the name \(serverName)")
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// The DNS names of the server's certificate, in lower case. TLS also accepts a certificate with the address in place of the
    /// name; this check does not.
    private func names(_ context: ChannelHandlerContext) -> [String] {
        guard let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate() else { return [] }
        return certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }.map {
            String(decoding: $0.contents, as: UTF8.self).lowercased()
        }
    }

    private func end(_ context: ChannelHandlerContext, _ problem: String) {
        note(problem)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        note("TLS: " + TLSFailure.explainToClient(error))
        context.fireErrorCaught(error)
    }

    private func note(_ problem: String) { failure.withLock { $0 = $0 ?? problem } }
}
