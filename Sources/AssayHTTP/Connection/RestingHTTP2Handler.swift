import NIOCore
import NIOHTTP2

/// HTTP/2 on a connection that has had calls and has none.
///
/// NIO's handler of HTTP/2 takes some 25 KiB also when nothing is to be done, which counts with thousands of connections that are kept open. So it is
/// given back some time after the last answer, and made again when bytes come. It is then told what it must know, in frames of a client that would have
/// left the same; what it says to these does not reach the client.
final class RestingHTTP2Handler: ChannelDuplexHandler, RemovableChannelHandler, HTTPGoingAway {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let connection: HTTPConnection
    private let below: BelowFrames
    private let state: HTTP2State
    private var context: ChannelHandlerContext?
    private var isRepeating = false

    init(_ connection: HTTPConnection, _ below: BelowFrames, _ state: HTTP2State) {
        (self.connection, self.below, self.state) = (connection, below, state)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.idle = nil
        connection.rested = connection.now
        isRepeating = true
        let isSame: Bool
        do {
            isSame = try HTTP2Transport.add(to: context.channel, for: connection, below, after: state) { bytes in
                context.fireChannelRead(Self.wrapInboundOut(bytes))
            }
        } catch {
            isSame = false
        }
        isRepeating = false
        // What NIO's handler has accepted it accepts again. It is not trusted with a connection on which it did not.
        guard isSame else { return connection.close(because: .protocolError) }
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isRepeating else { return context.write(data, promise: promise) }
        promise?.succeed()
    }

    func announceEnd(_ reason: HTTPEndReason) -> Bool {
        below.announceEnd(reason)
        write(ControlFrame.ping(ControlFrame.question))
        return true
    }

    func goAway(_ reason: HTTPEndReason) {
        let code = UInt32(clamping: reason.code.networkCode)
        write(ControlFrame.goAway(lastStream: state.history.lastStream, code: code, text: reason.rawValue))
    }

    private func write(_ frame: ByteBuffer) { context?.write(Self.wrapOutboundOut(.byteBuffer(frame)), promise: nil) }

    func flush() { context?.flush() }
}
