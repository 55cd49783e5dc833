import AssayListening
package import AssayRPC
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
package import SwiftProtobuf
import Synchronization

/// A client's way to a server by gRPC, over one connection of HTTP/2: with TLS, which must negotiate it, or without by prior knowledge.
///
/// It does not reconnect: when the connection has ended the channel takes no more calls.
package final class GRPCChannel: RPCChannel {
    private typealias Stream = NIOAsyncChannel<HTTP2Frame.FramePayload, HTTP2Frame.FramePayload>
    private typealias Opened = (any Channel, NIOHTTP2Handler.AsyncStreamMultiplexer<Void>)

    private let address: HTTPAddress
    private let limits: HTTPChannelLimits
    private let authority: String
    private let channel: any Channel
    private let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>
    private let calls = CallsInFlight()

    /// Returns when the server has answered over HTTP/2: until then it may still refuse the certificate.
    ///
    /// - Parameter tls: of an address with TLS.
    /// - Throws: UNAVAILABLE, `connect_failed`.
    package static func connect(
        to address: HTTPAddress, limits: HTTPChannelLimits = HTTPChannelLimits(), tls: HTTPClientTLS? = nil
    ) async throws(RPCError) -> GRPCChannel {
        let handshake = HandshakeFailure()
        do {
            let channel = try await open(address, limits, address.isEncrypted ? tls : nil, handshake)
            do {
                _ = try await channel.ask()
                if address.isEncrypted { try await tls?.expectedName(at: address)?.verify(channel.channel).get() }
            } catch {
                channel.channel.close(promise: nil)
                throw error
            }
            return channel
        } catch {
            let error = handshake.error ?? error
            let problem = RPCError(error, at: address, connectTimeout: limits.connectTimeout)
            switch problem.reason {
            case RPCError.cancelled.reason, RPCError.connectFailed("").reason: throw problem
            case RPCError.deadlineExceeded.reason:
                throw .connectFailed("\(address): no answer within \(limits.connectTimeout / .seconds(1)) s")
            case RPCError.connectionLost.reason:
                // Such as a server of HTTP/1.1 alone, or a proxy that speaks HTTP/2 over TLS only.
                let why =
                    handshake.error.map { RPCError.words(for: $0, at: address) } ?? "no answer in HTTP/2, which gRPC takes"
                throw .connectFailed("\(address): \(why)")
            default: throw .connectFailed("\(address): \(problem.message)")
            }
        }
    }

    private static func open(
        _ address: HTTPAddress, _ limits: HTTPChannelLimits, _ tls: HTTPClientTLS?, _ handshake: HandshakeFailure
    ) async throws -> GRPCChannel {
        let context = try tls.map { tls in
            var configuration = tls.configuration
            configuration.applicationProtocols = ["h2"]
            return try NIOSSLContext(configuration: configuration)
        }
        // Of a numeric address TLS compares the address itself.
        let name = tls.flatMap { $0.expectedName(at: address) == nil ? nil : $0.serverName ?? address.host }
        let initializer: @Sendable (any Channel) -> EventLoopFuture<Opened> = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if let context {
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
                    try pipeline.addHandler(handshake)
                }
                // The server begins no streams.
                let streams = try pipeline.configureAsyncHTTP2Pipeline(mode: .client) {
                    $0.eventLoop.makeSucceededVoidFuture()
                }
                return (channel, streams)
            }
        }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(limits.connectTimeout))
        let (channel, streams) =
            switch address.place {
            case .network(let host, let port):
                try await bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: host, port: port, channelInitializer: initializer)
            case .socket(let path):
                try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: initializer)
            }
        try await KeepAlive.add(to: channel, limits).get()
        return GRPCChannel(address, limits, tls, channel, streams)
    }

    private init(
        _ address: HTTPAddress, _ limits: HTTPChannelLimits, _ tls: HTTPClientTLS?, _ channel: any Channel,
        _ streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>
    ) {
        (self.address, self.limits, self.channel, self.streams) = (address, limits, channel, streams)
        authority = address.authority(name: tls?.serverName)
    }

    deinit { channel.close(promise: nil) }

    package var isOpen: Bool { calls.isOpen && channel.isActive }

    // MARK: Calls

    package func call<Reply: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, returning: Reply.Type, timeout: Duration?,
        metadata: RPCMetadata
    ) async throws(RPCError) -> Reply {
        let prepared = try prepare(method, try request.serialised(), timeout, metadata)
        try enter()
        defer { calls.leave() }
        let limit = limits.maxMessageBytes
        let answer: [UInt8]
        do {
            answer = try await TimeLimit.within(timeout) {
                var (splitter, message) = (EnvelopeSplitter(limit: limit), [UInt8]?.none)
                try await self.exchange(prepared) { chunk in
                    splitter.append(chunk)
                    while let envelope = try splitter.nextOfGRPC() {
                        guard message == nil else { throw RPCError.protocolBroken }
                        message = envelope
                    }
                }
                guard let message else { throw RPCError.protocolBroken }
                return message
            }
        } catch {
            throw failure(error)
        }
        guard let reply = try? Reply(serializedBytes: answer) else { throw .undecodableReply }
        return reply
    }

    package func stream<Item: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, of: Item.Type, timeout: Duration?, metadata: RPCMetadata
    ) throws(RPCError) -> RPCItems<Item> {
        let prepared = try prepare(method, try request.serialised(), timeout, metadata)
        try enter()
        let limit = limits.maxMessageBytes
        return calls.stream(limits, within: timeout, failure: failure) { answer in
            var splitter = EnvelopeSplitter(limit: limit)
            try await self.exchange(prepared) { chunk in
                splitter.append(chunk)
                while let message = try splitter.nextOfGRPC() { try await answer.take(message) }
            }
        }
    }

    package func ping() async throws(RPCError) -> Duration {
        try enter()
        defer { calls.leave() }
        do { return try await ask() } catch { throw failure(error) }
    }

    package func close() async {
        await calls.finish(within: limits.closeTimeout)
        try? await channel.close().get()
    }

    // MARK: Exchanges

    private struct Request: Sendable {
        let headers: HPACKHeaders
        /// `nil`: there is none.
        let body: ByteBuffer?
    }

    private func enter() throws(RPCError) {
        try calls.enter()
        guard channel.isActive else {
            calls.leave()
            throw .goingAway
        }
    }

    private func prepare(
        _ method: String, _ message: [UInt8], _ timeout: Duration?, _ metadata: RPCMetadata
    ) throws(RPCError) -> Request {
        guard message.count <= limits.maxMessageBytes else { throw .requestTooLong }
        if let timeout, timeout <= .zero { throw .deadlineExceeded }
        var headers = headers("POST", address.prefix + method)
        headers.add(name: "content-type", value: "application/grpc+proto")
        headers.add(name: "te", value: "trailers")
        if let timeout { headers.add(name: "grpc-timeout", value: timeout.grpcTimeout) }
        for entry in metadata.entries { headers.add(name: entry.key, value: entry.value) }
        return Request(headers: headers, body: EnvelopeSplitter.envelope(message))
    }

    private func headers(_ method: String, _ path: String) -> HPACKHeaders {
        [
            ":method": method, ":scheme": address.isEncrypted ? "https" : "http", ":authority": authority, ":path": path,
            "user-agent": "assay",
        ]
    }

    /// Asks for nothing: any answer is one.
    private func ask() async throws -> Duration {
        let request = Request(headers: headers("HEAD", address.prefix + "/"), body: nil)
        return try await TimeLimit.within(limits.connectTimeout) {
            let start = ContinuousClock.now
            try await self.send(request) { payload in
                if case .headers(let headers) = payload { return headers.endStream ? .end : .goOn }
                if case .data(let data) = payload { return data.endStream ? .end : .goOn }
                return .goOn
            }
            return ContinuousClock.now - start
        }
    }

    private enum Next { case goOn, end }

    /// Sends a call, and takes the parts of its answer's body. Throws the error by which the call ended.
    private func exchange(_ request: Request, onBody: (ByteBuffer) async throws -> Void) async throws {
        var head: HPACKHeaders?
        try await send(request) { payload in
            switch payload {
            case .headers(let part):
                guard part.endStream else {
                    head = part.headers
                    return .goOn
                }
                let first = head ?? part.headers
                let error = RPCError.grpcStatus(
                    part.headers, httpStatus: first.first(name: ":status").flatMap { UInt($0) } ?? 0,
                    contentType: first.contentType)
                if let error { throw error }
                return .end
            case .data(let data):
                guard let head, head.contentType.hasPrefix("application/grpc") else {
                    throw RPCError.foreignAnswer(
                        head?.first(name: ":status").flatMap { UInt($0) } ?? 0, head?.contentType ?? "")
                }
                if case .byteBuffer(let buffer) = data.data { try await onBody(buffer) }
                // The status of a call is in trailers.
                if data.endStream { throw RPCError.protocolBroken }
                return .goOn
            default: return .goOn
            }
        }
    }

    /// Sends a request on a stream of its own. Cancelling the task resets it.
    private func send(_ request: Request, onPayload: (HTTP2Frame.FramePayload) async throws -> Next) async throws {
        let stream = try await streams.openStream { channel in
            channel.eventLoop.makeCompletedFuture { try Stream(wrappingChannelSynchronously: channel) }
        }
        try await stream.executeThenClose { inbound, outbound in
            try await outbound.write(.headers(.init(headers: request.headers, endStream: request.body == nil)))
            if let body = request.body {
                try await outbound.write(.data(.init(data: .byteBuffer(body), endStream: true)))
            }
            for try await payload in inbound {
                if try await onPayload(payload) == .end { return }
            }
            throw RPCError.connectionLost
        }
    }

    private func failure(_ error: any Error) -> RPCError {
        RPCError(error, at: address, connectTimeout: limits.connectTimeout)
    }
}

/// Follows TLS in the pipeline, and keeps its first error: what waits for an answer only learns that the connection has ended.
private final class HandshakeFailure: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let first = Mutex<(any Error)?>(nil)

    var error: (any Error)? { first.withLock { $0 } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        first.withLock { $0 = $0 ?? error }
        context.fireErrorCaught(error)
    }
}

extension EnvelopeSplitter {
    /// The next message of a call of gRPC, whose end is no envelope.
    fileprivate mutating func nextOfGRPC() throws(RPCError) -> [UInt8]? {
        guard let envelope = try next() else { return nil }
        guard !envelope.isEnd else { throw .protocolBroken }
        return Array(envelope.message.readableBytesView)
    }
}

extension HPACKHeaders {
    fileprivate var contentType: String {
        (first(name: "content-type") ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
    }
}

extension HTTPAddress {
    fileprivate var host: String {
        switch place {
        case .network(let host, _): host
        case .socket: "localhost"
        }
    }

    /// The value of `:authority`.
    ///
    /// - Parameter name: stands for the host.
    fileprivate func authority(name: String?) -> String {
        switch place {
        case .network(let host, let port): Self.authority(name ?? host, port)
        case .socket: "localhost"
        }
    }
}
