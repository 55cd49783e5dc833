import AssayRPC
import NIOCore
import NIOHPACK
import NIOHTTP2

/// HTTP/2 (RFC 9113) on a connection: one handler for all of its streams, over NIO's handler of frames, which keeps the protocol, its flow control
/// towards the peer, and its limits of floods. The windows of what the peer sends are kept here.
final class HTTP2Transport: ChannelInboundHandler, RemovableChannelHandler, HTTPTransport {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let hasTrailers = true
    var headSince: NIODeadline? { below.headSince }
    private let below: BelowFrames
    private let connection: HTTPConnection
    private let limits: HTTPLimits
    private var context: ChannelHandlerContext?
    private var lastStream = HTTP2StreamID.rootStream
    /// Bytes of answers that the peer has not let pass, and since when.
    private var held: [UInt32: (bytes: Int, since: NIODeadline)] = [:]
    /// Streams whose answers have left whole.
    private var finished: [UInt32] = []
    /// Streams that this side has reset, and whose end was not told yet.
    private var ownResets: Set<UInt32> = []

    /// NIO's handler.
    private var frames: NIOHTTP2Handler?
    /// What has happened on the connection before is told to NIO's handler, and concerns nothing else.
    private var isRepeating = false
    /// NIO's handler found something wrong with what it was told.
    private var hasFailedToRepeat = false
    /// What either side may send on the connection.
    private var windows = (inbound: HTTP2Preamble.firstWindow, outbound: HTTP2Preamble.firstWindow)

    private init(_ connection: HTTPConnection, _ below: BelowFrames) {
        (self.connection, self.below) = (connection, below)
        limits = connection.server.limits
    }

    /// Adds the handlers of HTTP/2 to the end of a channel's pipeline.
    static func add(to channel: any Channel, for connection: HTTPConnection) throws {
        let below = BelowFrames(connection)
        let transport = HTTP2Transport(connection, below)
        try channel.pipeline.syncOperations.addHandler(below)
        try transport.add(to: channel)
        connection.transport = transport
    }

    private func add(to channel: any Channel) throws {
        let sent = SentFrames()
        sent.transport = self
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = HTTP2Preamble(limits).settings
        configuration.controlFrameRateLimit.maximumCount = limits.maxControlFrames
        configuration.controlFrameRateLimit.windowLength = TimeAmount(limits.floodInterval)
        // Errors of streams over the whole life of a connection, which has no end. Those of a time are bounded as resets are.
        configuration.maximumConnectionGlitches = .max
        // DATA for a stream that was reset longer ago ends the connection, and an upload may be under way on each. Each place takes 8 bytes
        // of each connection.
        configuration.maximumRecentlyResetStreams = max(HTTPLimits.leastStreams, limits.maxStreams)
        var streams = NIOHTTP2Handler.StreamConfiguration()
        // All are counted by the connection, since a caller may show itself after the beginning. NIO keeps the time of each that it counts, in
        // memory that each connection has after its first call: it sees to those that come at once.
        streams.streamResetFrameRateLimit.maximumCount = HTTPLimits.mostResetsAtOnce
        streams.streamResetFrameRateLimit.windowLength = .seconds(1)
        streams.streamErrorRateLimit.maximumCount = limits.maxResets
        streams.streamErrorRateLimit.windowLength = TimeAmount(limits.floodInterval)
        let handler = NIOHTTP2Handler(
            mode: .server, frameDelegate: sent, connectionConfiguration: configuration, streamConfiguration: streams)
        frames = handler
        try channel.pipeline.syncOperations.addHandlers(handler, self)
    }

    /// Sees each frame that leaves for the socket: bytes that flow control holds back wait inside NIO's handler, and count nowhere else.
    private final class SentFrames: NIOHTTP2FrameDelegate {
        weak var transport: HTTP2Transport?

        func wroteFrame(_ frame: HTTP2Frame) { transport?.wrote(frame) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let frame = HTTP2Frame(
            streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: HTTP2Preamble.windowIncrement))
        context.write(Self.wrapOutboundOut(frame), promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRepeating else { return }
        let frame = Self.unwrapInboundIn(data)
        let stream = UInt32(truncatingIfNeeded: Int(frame.streamID))
        switch frame.payload {
        case .headers(let headers):
            // Trailers of a request say nothing that a call needs.
            if let exchange = connection.exchanges[stream] {
                if headers.endStream { connection.end(exchange) }
                return
            }
            lastStream = max(lastStream, frame.streamID)
            var head = RequestHead()
            for (name, value, _) in headers.headers { head.read(name, value, limits: limits) }
            connection.begin(stream, head, isEnd: headers.endStream)
        case .data(let data):
            guard case .byteBuffer(var bytes) = data.data else { return }
            let size = bytes.readableBytes + (data.paddingBytes.map { $0 + 1 } ?? 0)
            connection.overhead -= min(connection.overhead, bytes.readableBytes)
            guard let exchange = connection.exchanges[stream] else { return }
            if !data.endStream { giveWindow(size, of: exchange) }
            if bytes.readableBytes > 0 { connection.receive(exchange, &bytes) }
            if data.endStream { connection.end(exchange) }
        case .goAway:
            connection.leave(.clientLeaving)
        case .ping(let data, ack: true) where data == Self.question: connection.endIsKnown()
        case .alternativeService, .origin, .ping, .priority, .pushPromise, .rstStream, .settings, .windowUpdate:
            break
        }
    }

    /// Gives back to the peer what it has used of the window of a conversation, which has no end. The window of any other stream is that of the
    /// longest message.
    private func giveWindow(_ size: Int, of exchange: Exchange) {
        guard case .conversing = exchange.state, size > 0 else { return }
        write(
            HTTP2Frame(
                streamID: HTTP2StreamID(Int(exchange.number)), payload: .windowUpdate(windowSizeIncrement: size)))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let closed = event as? StreamClosedEvent {
            guard !isRepeating else { return }
            let stream = UInt32(truncatingIfNeeded: Int(closed.streamID))
            if let held = held.removeValue(forKey: stream) { connection.outbox.wrote(held.bytes, of: stream) }
            let isOwn = ownResets.remove(stream) != nil
            connection.closed(stream, isReset: !isOwn && closed.reason != nil)
        } else if let window = event as? NIOHTTP2WindowUpdatedEvent, window.streamID == .rootStream {
            windows.outbound = window.outboundWindowSize ?? windows.outbound
            windows.inbound = window.inboundWindowSize ?? windows.inbound
            // Also for what NIO drops, such as DATA of a stream that was reset.
            if !isRepeating, windows.inbound <= HTTP2Preamble.window / 4 * 3 { fillWindow() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Gives the peer the window of the connection back that it has used.
    private func fillWindow() {
        let used = HTTP2Preamble.window - windows.inbound
        guard used > 0 else { return }
        write(HTTP2Frame(streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: used)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isRepeating else { return hasFailedToRepeat = true }
        below.forgetHistory()
        // The error of a stream has ended the stream; only what NIO has said goodbye for ends the connection. It cannot say so a second time.
        if isOver || (isLeaving && Self.isOfConnection(error)) || !(error is any NIOHTTP2Error) {
            connection.leave(Self.reason(of: error))
            connection.flush()
        }
    }

    private static func reason(of error: any Error) -> HTTPEndReason {
        switch error {
        case is NIOHTTP2Errors.ExcessiveRSTFrames: .tooManyResets
        case is NIOHTTP2Errors.ExcessiveControlFrames, is NIOHTTP2Errors.ExcessiveEmptyDataFrames,
            is NIOHTTP2Errors.ExcessiveContinuationFrames, is NIOHTTP2Errors.ExcessiveOutboundFrameBuffering:
            .tooMuchOverhead
        default: .protocolError
        }
    }

    private static func isOfConnection(_ error: any Error) -> Bool {
        error is NIOHTTP2Errors.ExcessiveRSTFrames || error is NIOHTTP2Errors.ExcessiveControlFrames
            || error is NIOHTTP2Errors.ExcessiveEmptyDataFrames || error is NIOHTTP2Errors.ExcessiveContinuationFrames
            || error is NIOHTTP2Errors.ExcessiveStreamErrors || error is NIOHTTP2Errors.ExcessiveOutboundFrameBuffering
            || error is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock || error is NIOHTTP2Errors.UnableToParseFrame
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        endFinished()
        context.fireChannelReadComplete()
    }

    /// Ends the streams whose answers have left while their requests still come: nothing of those is wanted (RFC 9113 §8.1).
    private func endFinished() {
        guard !finished.isEmpty else { return }
        let streams = finished
        finished = []
        for stream in streams where connection.exchanges[stream]?.isWhole == false {
            write(HTTP2Frame(streamID: HTTP2StreamID(Int(stream)), payload: .rstStream(.noError)))
        }
        context?.flush()
    }

    /// NIO has sent a GOAWAY of its own.
    private var isOver = false
    private var isLeaving = false

    private func wrote(_ frame: HTTP2Frame) {
        guard !isRepeating else { return }
        switch frame.payload {
        case .data(let data):
            let stream = UInt32(truncatingIfNeeded: Int(frame.streamID))
            let count = data.data.readableBytes
            connection.outbox.wrote(count, of: stream)
            if data.endStream { finished.append(stream) }
            guard let held = held[stream] else { return }
            self.held[stream] = held.bytes > count ? (held.bytes - count, connection.now) : nil
        case .headers(let headers):
            if headers.endStream { finished.append(UInt32(truncatingIfNeeded: Int(frame.streamID))) }
        case .rstStream:
            ownResets.insert(UInt32(truncatingIfNeeded: Int(frame.streamID)))
            // What still comes on such a stream is ignored by the handler that has reset it, and by no other.
            below.forgetHistory()
        case .goAway(_, let code, _): if !isLeaving || code != .noError { isOver = true }
        default: break
        }
    }

    // MARK: Rest

    var mayRest: Bool { below.hasHistory }

    func rest() -> Bool {
        guard let context, let frames, let history = below.history else { return false }
        guard !isOver, !isLeaving, held.isEmpty, finished.isEmpty, ownResets.isEmpty, context.channel.isWritable else {
            return false
        }
        let state = HTTP2State(history: history, outboundWindow: windows.outbound)
        guard state.canBeRepeated else { return false }
        fillWindow()
        context.flush()
        let pipeline = context.pipeline.syncOperations
        let resting = RestingHTTP2Handler(connection, below, state)
        guard (try? pipeline.addHandler(resting, position: .after(below))) != nil else { return false }
        connection.idle = resting
        pipeline.removeHandler(self, promise: nil)
        pipeline.removeHandler(frames, promise: nil)
        self.frames = nil
        return true
    }

    /// Adds the handlers of HTTP/2 to the end of a channel's pipeline again. NIO's handler is given what came before, in short; what it says to it is for
    /// the caller to drop. False: something was wrong with it.
    ///
    /// - Parameter read: hands bytes to NIO's handler.
    static func add(
        to channel: any Channel, for connection: HTTPConnection, _ below: BelowFrames, after state: HTTP2State,
        _ read: (ByteBuffer) -> Void
    ) throws -> Bool {
        let transport = HTTP2Transport(connection, below)
        transport.isRepeating = true
        try transport.add(to: channel)
        read(state.beginning)
        let heads = state.heads
        for (stream, head) in heads {
            read(head)
            transport.finish(stream, sending: stream == state.history.lastStream ? state.sentBytes : 0)
        }
        transport.lastStream = HTTP2StreamID(Int(state.history.lastStream))
        transport.isRepeating = false
        connection.transport = transport
        // Whether it may rest again is another question: what woke it may be more than is kept.
        return transport.windows.outbound == state.outboundWindow && transport.windows.inbound == HTTP2Preamble.window
            && !transport.hasFailedToRepeat
    }

    /// Ends a stream that is repeated. The table of this side's compressor stays empty: see ``HPACKHeaders/unindexed(_:)``.
    private func finish(_ stream: UInt32, sending count: Int) {
        if count > 0 {
            write([":status": "200"], of: stream, isEnd: false)
            let bytes = IOData.byteBuffer(ByteBuffer(repeating: 0, count: count))
            write(HTTP2Frame(streamID: HTTP2StreamID(Int(stream)), payload: .data(.init(data: bytes))))
            context?.flush()
        }
        write(HTTP2Frame(streamID: HTTP2StreamID(Int(stream)), payload: .rstStream(.noError)))
        context?.flush()
    }

    // MARK: Out

    func write(_ answer: HTTPAnswer, of exchange: UInt32, isFirst: Bool) {
        let hasBody = answer.body.readableBytes > 0
        if isFirst {
            guard hasBody || answer.trailers == nil else {
                return write(answer.onlyTrailers, of: exchange, isEnd: true)
            }
            var head = answer.head.fields
            if let id = answer.requestID { head.add(name: RequestIDField.header, value: id, indexing: .nonIndexable) }
            write(head, of: exchange, isEnd: !hasBody)
        }
        if hasBody || (answer.trailers == nil && !isFirst) {
            write(answer.body, of: exchange, isEnd: answer.trailers == nil)
        }
        if let trailers = answer.trailers { write(trailers.headers, of: exchange, isEnd: true) }
    }

    func write(_ item: ByteBuffer, _ format: CallFormat, of exchange: UInt32, isFirst: Bool) {
        if isFirst { write(format.headers, of: exchange, isEnd: false) }
        write(item, of: exchange, isEnd: false)
    }

    private func write(_ headers: HPACKHeaders, of exchange: UInt32, isEnd: Bool) {
        let payload = HTTP2Frame.FramePayload.headers(.init(headers: headers, endStream: isEnd))
        write(HTTP2Frame(streamID: HTTP2StreamID(Int(exchange)), payload: payload))
    }

    private func write(_ bytes: ByteBuffer, of exchange: UInt32, isEnd: Bool) {
        if bytes.readableBytes > 0 {
            held[exchange] = ((held[exchange]?.bytes ?? 0) + bytes.readableBytes, held[exchange]?.since ?? connection.now)
        }
        let payload = HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(bytes), endStream: isEnd))
        write(HTTP2Frame(streamID: HTTP2StreamID(Int(exchange)), payload: payload))
    }

    private func write(_ frame: HTTP2Frame) { context?.write(Self.wrapOutboundOut(frame), promise: nil) }

    func sendContinue(_ exchange: UInt32) {
        write(.unindexed([(":status", "100")]), of: exchange, isEnd: false)
    }

    func resetStuck(since: NIODeadline) {
        for (exchange, held) in held where held.since < since {
            write(HTTP2Frame(streamID: HTTP2StreamID(Int(exchange)), payload: .rstStream(.cancel)))
        }
    }

    func proceed() {}

    private static let question = HTTP2PingData(withInteger: ControlFrame.question)

    func announceEnd(_ reason: HTTPEndReason) -> Bool {
        guard !isOver else { return false }
        below.announceEnd(reason)
        write(HTTP2Frame(streamID: .rootStream, payload: .ping(Self.question, ack: false)))
        return true
    }

    func goAway(_ reason: HTTPEndReason) {
        guard !isOver else { return }
        isLeaving = true
        let text = ByteBuffer(string: reason.rawValue)
        write(
            HTTP2Frame(
                streamID: .rootStream, payload: .goAway(lastStreamID: lastStream, errorCode: reason.code, opaqueData: text)))
    }

    func flush() {
        context?.flush()
        endFinished()
    }
}

extension HTTPEndReason {
    /// What a GOAWAY says of it (RFC 9113 §7).
    var code: HTTP2ErrorCode {
        switch self {
        case .tooManyResets, .tooMuchOverhead, .tooManyConnections: .enhanceYourCalm
        case .protocolError: .protocolError
        default: .noError
        }
    }
}

extension CallFormat {
    fileprivate static let grpcHeaders = CallFormat.grpc.made
    fileprivate static let protobufHeaders = CallFormat.connect(.protobuf).made
    fileprivate static let jsonHeaders = CallFormat.connect(.json).made

    private var made: HPACKHeaders { .unindexed([(":status", "200"), ("content-type", contentType)]) }

    /// The head of its answers.
    fileprivate var headers: HPACKHeaders {
        switch self {
        case .grpc: Self.grpcHeaders
        case .connect(.protobuf): Self.protobufHeaders
        case .connect(.json): Self.jsonHeaders
        case .grpcWeb, .grpcWebText, .connectStream: made
        }
    }
}

extension HPACKHeaders {
    /// Fields that no compressor adds to its table, so that the table of answers is always empty: a connection that rests has no other state of it.
    /// A status that the static table has (RFC 7541 appendix A) is one byte none the less.
    fileprivate static func unindexed(_ fields: [(name: String, value: String)]) -> HPACKHeaders {
        var headers = HPACKHeaders()
        for (name, value) in fields {
            let isStatic = name == ":status" && staticStatuses.contains(value)
            headers.add(name: name, value: value, indexing: isStatic ? .indexable : .nonIndexable)
        }
        return headers
    }

    private static let staticStatuses: Set = ["200", "204", "206", "304", "400", "404", "500"]
}

extension HTTPAnswer {
    fileprivate static let success = HPACKHeaders.unindexed([("grpc-status", "0")])

    /// Head and trailers in one, where no message stands between them.
    fileprivate var onlyTrailers: HPACKHeaders {
        var headers = head.fields
        headers.add(contentsOf: HPACKHeaders.unindexed(trailers?.fields ?? []))
        return headers
    }
}

extension HTTPAnswer.Head {
    fileprivate var fields: HPACKHeaders {
        switch self {
        case .usual(let format): return format.headers
        case .other(let status, let fields):
            return .unindexed([(":status", "\(status)")] + fields)
        }
    }
}

extension HTTPAnswer.Trailers {
    fileprivate var headers: HPACKHeaders {
        switch self {
        case .ok: return HTTPAnswer.success
        case .other(let fields):
            return .unindexed(fields)
        }
    }
}
