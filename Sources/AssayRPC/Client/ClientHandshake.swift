import NIOCore
import NIOTLS
import Synchronization

/// Stands behind TLS on a client's connection, and remembers what went wrong in it: the server judges a client's certificate
/// after the client's own handshake is over, so that the reason comes late.
final class ClientHandshake: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let failure = Mutex<String?>(nil)

    /// The first thing that went wrong.
    var problem: String? { failure.withLock { $0 } }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent, negotiated != TLSProtocol.name {
            note("the server does not speak \(TLSProtocol.name)")
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        note("TLS: " + TLSFailure.explain(error))
        context.fireErrorCaught(error)
    }

    private func note(_ problem: String) { failure.withLock { $0 = $0 ?? problem } }
}
