import AssayRPC
import AssayTesting
import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOSSL
import Synchronization

/// A client of HTTP/2 with one handler for all of its streams. It begins when the server's settings have come, so that it may open as many
/// streams as they say.
final class HTTP2Client: Sendable {
    /// What has come of the answer to one request.
    struct Answer: Sendable {
        /// Heads with a status below 200.
        var informational: [Int] = []
        var headers: HPACKHeaders?
        var body: [UInt8] = []
        /// Frames with bytes of the body.
        var dataFrames = 0
        var trailers: HPACKHeaders?
        var isEnded = false
        var reset: HTTP2ErrorCode?

        var isOver: Bool { isEnded || reset != nil }
        var status: Int? { headers?.first(name: ":status").flatMap { Int($0) } }
        var text: String { String(decoding: body, as: UTF8.self) }
        /// The messages in the body, if it consists of whole ones.
        var messages: [[UInt8]]? { Enveloped.all(in: body)?.map(\.message) }

        /// Of the trailers, or of the head.
        subscript(name: String) -> String? { trailers?.first(name: name) ?? headers?.first(name: name) }

        var grpcStatus: RPCStatusCode? { self["grpc-status"].flatMap { Int32($0) }.flatMap { RPCStatusCode(rawValue: $0) } }

        /// The serialised `google.rpc.Status`; nil if there is none.
        var details: [UInt8]? {
            guard let text = self["grpc-status-details-bin"] else { return nil }
            let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            return Data(base64Encoded: padded).map { Array($0) }
        }

        /// Whether the details name a reason.
        func has(reason: String) -> Bool { details?.firstRange(of: Array(reason.utf8)) != nil }
    }

    struct GoAway: Sendable {
        let lastStream: Int
        let code: HTTP2ErrorCode
        let reason: String
    }

    /// The connection ended before the answer did.
    struct Ended: Error {}

    private struct State {
        var nextStream = 1
        var answers: [Int: Answer] = [:]
        var goAways: [GoAway] = []
        var hasSettings = false
        var hasEnded = false
    }

    private let channel: any Channel
    private let inbox: Inbox

    /// - Parameters:
    ///   - window: that of its streams.
    ///   - givesWindow: whether it gives back what it has received.
    static func connect(
        to address: RPCAddress, tls: TLSConfiguration? = nil, window: Int = 65_535, givesWindow: Bool = true
    ) async throws -> HTTP2Client {
        let inbox = Inbox()
        let channel = try await TestConnection.open(to: address, tls: tls, halfCloses: false) { channel in
            var configuration = NIOHTTP2Handler.ConnectionConfiguration()
            configuration.initialSettings = [
                HTTP2Setting(parameter: .maxHeaderListSize, value: 64 << 10),
                HTTP2Setting(parameter: .initialWindowSize, value: window),
            ]
            var streams = NIOHTTP2Handler.StreamConfiguration()
            streams.streamResetFrameRateLimit.maximumCount = 10_000
            let handler = NIOHTTP2Handler(
                mode: .client, connectionConfiguration: configuration, streamConfiguration: streams)
            try channel.pipeline.syncOperations.addHandler(handler)
            try channel.pipeline.syncOperations.addHandler(FrameHandler(inbox, givesWindow: givesWindow))
        }
        let client = HTTP2Client(channel, inbox)
        try await eventually("the server's settings come") {
            inbox.state.withLock { $0.hasSettings || $0.hasEnded }
        }
        return client
    }

    private init(_ channel: any Channel, _ inbox: Inbox) { (self.channel, self.inbox) = (channel, inbox) }

    deinit { channel.close(promise: nil) }

    // MARK: Saying

    /// Begins a request.
    ///
    /// - Parameter fields: beside the pseudo-header fields.
    func open(
        _ path: String, _ fields: [(String, String)], method: String = "POST", authority: String = "localhost",
        isEnd: Bool = false
    ) -> Int {
        let headers = HPACKHeaders(
            [(":method", method), (":scheme", "http"), (":authority", authority), (":path", path)] + fields)
        return inbox.state.withLock { state in
            let stream = state.nextStream
            state.nextStream += 2
            state.answers[stream] = Answer()
            // Under the lock, since streams are opened in the order of their numbers.
            write(.headers(.init(headers: headers, endStream: isEnd)), on: stream)
            return stream
        }
    }

    func send(_ bytes: [UInt8], on stream: Int, isEnd: Bool = false) {
        write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: isEnd)), on: stream)
    }

    func reset(_ stream: Int, _ code: HTTP2ErrorCode = .cancel) { write(.rstStream(code), on: stream) }

    func giveWindow(_ size: Int, of stream: Int = 0) { write(.windowUpdate(windowSizeIncrement: size), on: stream) }

    private func write(_ payload: HTTP2Frame.FramePayload, on stream: Int) {
        channel.writeAndFlush(HTTP2Frame(streamID: HTTP2StreamID(stream), payload: payload), promise: nil)
    }

    /// Begins a call of gRPC whose message follows.
    func openCall(_ path: String, _ fields: [(String, String)] = []) -> Int {
        open(path, [("content-type", "application/grpc"), ("te", "trailers")] + fields)
    }

    /// Makes a call of gRPC.
    func call(_ path: String, _ message: [UInt8] = [], _ fields: [(String, String)] = []) -> Int {
        let stream = openCall(path, fields)
        send(Enveloped.bytes(message), on: stream, isEnd: true)
        return stream
    }

    func setReading(_ isReading: Bool) async throws { try await channel.setOption(.autoRead, value: isReading).get() }
    func close() async { try? await channel.close().get() }

    // MARK: Hearing

    var hasEnded: Bool { inbox.state.withLock { $0.hasEnded } }
    var goAways: [GoAway] { inbox.state.withLock { $0.goAways } }

    /// What has come so far.
    func partial(_ stream: Int) -> Answer { inbox.state.withLock { $0.answers[stream] ?? Answer() } }

    /// Waits for the end of an answer, or of its stream.
    func answer(_ stream: Int) async throws -> Answer {
        try await eventually("stream \(stream) ends") {
            if partial(stream).isOver { return true }
            if hasEnded { throw Ended() }
            return false
        }
        return partial(stream)
    }

    /// Makes a call of gRPC, and waits for its answer.
    func answer(to path: String, _ message: [UInt8] = [], _ fields: [(String, String)] = []) async throws -> Answer {
        try await answer(call(path, message, fields))
    }

    /// Waits until the connection has ended.
    func end() async throws { try await eventually("the connection ends") { hasEnded } }

    private final class Inbox: Sendable {
        let state = Mutex(State())
    }

    private final class FrameHandler: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame
        typealias OutboundOut = HTTP2Frame

        private let inbox: Inbox
        private let givesWindow: Bool

        init(_ inbox: Inbox, givesWindow: Bool) { (self.inbox, self.givesWindow) = (inbox, givesWindow) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = Self.unwrapInboundIn(data)
            let stream = Int(frame.streamID)
            inbox.state.withLock { state in
                switch frame.payload {
                case .headers(let headers): Self.take(headers, &state.answers[stream, default: Answer()])
                case .data(let data): Self.take(data, &state.answers[stream, default: Answer()])
                case .rstStream(let code): state.answers[stream, default: Answer()].reset = code
                case .goAway(let last, let code, let text):
                    let reason = String(decoding: text?.readableBytesView ?? ByteBufferView(), as: UTF8.self)
                    state.goAways.append(GoAway(lastStream: Int(last), code: code, reason: reason))
                case .settings(.settings): state.hasSettings = true
                default: break
                }
            }
            guard givesWindow, case .data(let data) = frame.payload, data.data.readableBytes > 0 else { return }
            if !data.endStream { give(data.data.readableBytes, to: frame.streamID, context) }
            context.flush()
        }

        /// The window of the connection is used up also by what NIO drops, such as the DATA of a stream that was reset.
        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if givesWindow, let window = event as? NIOHTTP2WindowUpdatedEvent, window.streamID == .rootStream,
                let left = window.inboundWindowSize, left < 65_535
            {
                give(65_535 - left, to: .rootStream, context)
                context.flush()
            }
            context.fireUserInboundEventTriggered(event)
        }

        private static func take(_ headers: HTTP2Frame.FramePayload.Headers, _ answer: inout Answer) {
            if let status = headers.headers.first(name: ":status").flatMap({ Int($0) }), status < 200 {
                return answer.informational.append(status)
            }
            if answer.headers == nil { answer.headers = headers.headers } else { answer.trailers = headers.headers }
            if headers.endStream { answer.isEnded = true }
        }

        private static func take(_ data: HTTP2Frame.FramePayload.Data, _ answer: inout Answer) {
            if case .byteBuffer(let bytes) = data.data, bytes.readableBytes > 0 {
                answer.body += bytes.readableBytesView
                answer.dataFrames += 1
            }
            if data.endStream { answer.isEnded = true }
        }

        private func give(_ size: Int, to stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
            let frame = HTTP2Frame(streamID: stream, payload: .windowUpdate(windowSizeIncrement: size))
            context.write(Self.wrapOutboundOut(frame), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { inbox.state.withLock { $0.hasEnded = true } }
        // Errors of a stream are no end of the connection.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }
}
