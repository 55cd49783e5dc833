import AssayListening
import NIOCore
import NIOHTTP2

/// Asks a server over HTTP/2 by PING (RFC 9113 §6.7) whether it is there, while calls wait for it and nothing comes, and closes the connection where
/// no answer does. Without it a call waits without end for a server that is gone, or that a firewall has forgotten.
///
/// A connection without calls is not asked: proxies take pings on it for a fault, and a call that is made on a dead one is asked for then.
final class KeepAlive: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let interval: TimeAmount
    private let timeout: TimeAmount
    private let timer: DeadlineTimer
    private var context: ChannelHandlerContext?
    private var openStreams = 0
    /// When the last frame came, or the first of the open streams began.
    private var heard = NIODeadline.now()
    /// When the PING was sent that is not answered.
    private var asked: NIODeadline?

    private init(_ limits: HTTPChannelLimits, on loop: any EventLoop) {
        (interval, timeout) = (TimeAmount(limits.keepAliveInterval), TimeAmount(limits.pongTimeout))
        timer = DeadlineTimer(TimerWheel(loop: loop))
    }

    /// Adds it to a connection behind its handler of frames, which is there.
    static func add(to channel: any Channel, _ limits: HTTPChannelLimits) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let frames = try pipeline.handler(type: NIOHTTP2Handler.self)
            try pipeline.addHandler(KeepAlive(limits, on: channel.eventLoop), position: .after(frames))
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        timer.fire = { [unowned self] in sweep() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isAnswer = asked != nil
        (heard, asked) = (.now(), nil)
        // The timer waits for the answer until its time-out, which may be later than the next question.
        if isAnswer { armTimer() }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is NIOHTTP2StreamCreatedEvent:
            openStreams += 1
            if openStreams == 1 {
                heard = .now()
                armTimer()
            }
        case is StreamClosedEvent: openStreams -= 1
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func armTimer() { timer.arm(asked.map { $0 + timeout } ?? heard + interval) }

    private func sweep() {
        guard let context, openStreams > 0 else { return asked = nil }
        let now = NIODeadline.now()
        if let asked, asked + timeout <= now { return context.close(promise: nil) }
        if asked == nil, heard + interval <= now {
            asked = now
            let ping = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(), ack: false))
            context.writeAndFlush(Self.wrapOutboundOut(ping), promise: nil)
        }
        armTimer()
    }
}
