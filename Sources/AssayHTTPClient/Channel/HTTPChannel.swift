import AssayListening
package import AssayRPC
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
package import SwiftProtobuf

/// A client's way to a server over HTTP: Connect with protobuf, or with JSON in unary calls, over HTTP/2 where TLS negotiates it, and over
/// HTTP/1.1.
///
/// A call takes a connection, or makes one. After a connection that could not be made the channel takes no more calls, so that who keeps
/// channels decides when the next attempt is made.
package final class HTTPChannel: RPCChannel {
    private let address: HTTPAddress
    private let limits: HTTPChannelLimits
    /// What a method's path follows.
    private let url: String
    private let messages: MessageForm
    private let client: HTTPClient
    private let calls = CallsInFlight()

    /// Returns when the server, or a proxy before it, has answered over HTTP: until then it may still refuse the certificate.
    ///
    /// - Parameters:
    ///   - tls: of an address with TLS.
    ///   - messages: the form of the messages of unary calls.
    ///   - isHTTP1Only: HTTP/2 is not offered.
    /// - Throws: UNAVAILABLE, `connect_failed`.
    package static func connect(
        to address: HTTPAddress, limits: HTTPChannelLimits = HTTPChannelLimits(), tls: HTTPClientTLS? = nil,
        messages: MessageForm = .protobuf, isHTTP1Only: Bool = false
    ) async throws(RPCError) -> HTTPChannel {
        if let name = tls?.serverName, !HTTPAddress.isHostName(name) {
            throw .connectFailed("\(address): \"\(name)\" is no name of a server")
        }
        let channel = HTTPChannel(address, limits, address.isEncrypted ? tls : nil, messages, isHTTP1Only)
        do {
            _ = try await channel.ask()
            return channel
        } catch {
            let problem = RPCError(error, at: address, connectTimeout: limits.connectTimeout)
            switch problem.reason {
            case RPCError.cancelled.reason, RPCError.connectFailed("").reason: throw problem
            case RPCError.deadlineExceeded.reason:
                throw .connectFailed("\(address): no answer within \(limits.connectTimeout / .seconds(1)) s")
            // No call was begun, however the question ended.
            case RPCError.connectionLost.reason: throw .connectFailed("\(address): \(RPCError.words(for: error, at: address))")
            default: throw .connectFailed("\(address): \(problem.message)")
            }
        }
    }

    private init(
        _ address: HTTPAddress, _ limits: HTTPChannelLimits, _ tls: HTTPClientTLS?, _ messages: MessageForm, _ isHTTP1Only: Bool
    ) {
        (self.address, self.limits, self.messages) = (address, limits, messages)
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls?.configuration, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: TimeAmount(limits.connectTimeout)), decompression: .disabled)
        configuration.httpVersion = isHTTP1Only ? .http1Only : .automatic
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = limits.maxConnections
        configuration.connectionPool.retryConnectionEstablishment = false
        // Called with each connection before its first call.
        let name = tls?.expectedName(at: address)
        if let name { configuration.http1_1ConnectionDebugInitializer = { name.verify($0) } }
        configuration.http2ConnectionDebugInitializer = { channel in
            let verified = name?.verify(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
            return verified.flatMap { KeepAlive.add(to: channel, limits) }
        }
        if case .network(let host, _) = address.place, let name = tls?.serverName, name != host {
            configuration.dnsOverride = [name: host]
        }
        url = address.url(name: tls?.serverName)
        client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }

    deinit { client.shutdown { _ in } }

    package var isOpen: Bool { calls.isOpen }

    // MARK: Calls

    package func call<Reply: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, returning: Reply.Type, timeout: Duration?,
        metadata: RPCMetadata
    ) async throws(RPCError) -> Reply {
        let message = try messages.write(request)
        let prepared = try prepare(method, ByteBuffer(bytes: message), .unary(messages), timeout, metadata)
        try calls.enter()
        defer { calls.leave() }
        let answer: [UInt8]
        do {
            answer = try await TimeLimit.within(timeout) { try await self.answer(to: prepared) }
        } catch {
            throw failure(error)
        }
        return try messages.read(answer)
    }

    package func stream<Item: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, of: Item.Type, timeout: Duration?, metadata: RPCMetadata
    ) throws(RPCError) -> RPCItems<Item> {
        let message = try request.serialised()
        let prepared = try prepare(method, EnvelopeSplitter.envelope(message), .stream, timeout, metadata)
        try calls.enter()
        return calls.stream(limits, within: timeout, failure: failure) { try await self.fill($0, by: prepared) }
    }

    package func ping() async throws(RPCError) -> Duration {
        try calls.enter()
        defer { calls.leave() }
        do { return try await ask() } catch { throw failure(error) }
    }

    package func close() async {
        await calls.finish(within: limits.closeTimeout)
        // Ends what is still in flight.
        try? await client.shutdown()
    }

    // MARK: Exchanges

    fileprivate enum Form: Equatable {
        case unary(MessageForm)
        case stream

        var contentType: String {
            switch self {
            case .unary(.protobuf): "application/proto"
            case .unary(.json): "application/json"
            case .stream: "application/connect+proto"
            }
        }
    }

    private func prepare(
        _ method: String, _ body: ByteBuffer, _ form: Form, _ timeout: Duration?, _ metadata: RPCMetadata
    ) throws(RPCError) -> HTTPClientRequest {
        guard body.readableBytes <= limits.maxMessageBytes else { throw .requestTooLong }
        if let timeout, timeout <= .zero { throw .deadlineExceeded }
        var request = HTTPClientRequest(url: url + method)
        request.method = .POST
        addHeaders(to: &request)
        request.headers.add(name: "content-type", value: form.contentType)
        request.headers.add(name: "connect-protocol-version", value: "1")
        if let timeout { request.headers.add(name: "connect-timeout-ms", value: "\(timeout.connectMilliseconds)") }
        for entry in metadata.entries { request.headers.add(name: entry.key, value: entry.value) }
        request.body = .bytes(body)
        return request
    }

    private func addHeaders(to request: inout HTTPClientRequest) {
        request.headers.add(name: "user-agent", value: "assay")
        // A path is no name of a host.
        if case .socket = address.place { request.headers.add(name: "host", value: "localhost") }
    }

    /// Asks for nothing: any answer is one.
    private func ask() async throws -> Duration {
        var request = HTTPClientRequest(url: url + "/")
        request.method = .HEAD
        addHeaders(to: &request)
        let (question, start) = (request, ContinuousClock.now)
        return try await TimeLimit.within(limits.connectTimeout) {
            let response = try await self.client.execute(question, deadline: .distantFuture)
            let time = ContinuousClock.now - start
            for try await _ in response.body {}
            return time
        }
    }

    private func answer(to request: HTTPClientRequest) async throws -> [UInt8] {
        let response = try await client.execute(request, deadline: .distantFuture)
        guard response.isOf(.unary(messages)) else { throw try await error(of: response) }
        let body = try await response.body.collect(upTo: limits.maxMessageBytes)
        return Array(body.readableBytesView)
    }

    /// Reads a stream into a queue. Throws the error by which the stream ended.
    private func fill(_ answer: StreamedAnswer, by request: HTTPClientRequest) async throws {
        let response = try await client.execute(request, deadline: .distantFuture)
        guard response.isOf(.stream) else { throw try await error(of: response) }
        var splitter = EnvelopeSplitter(limit: limits.maxMessageBytes)
        var hasEnded = false
        for try await chunk in response.body {
            // Nothing follows the end but that of the answer, which lets the connection be used again.
            if hasEnded { return }
            splitter.append(chunk)
            while let envelope = try splitter.next() {
                if envelope.isEnd {
                    answer.end(RPCError.connectEnd(Array(envelope.message.readableBytesView)[...]))
                    hasEnded = true
                    break
                }
                try await answer.take(Array(envelope.message.readableBytesView))
            }
        }
        if !hasEnded { throw RPCError.connectionLost }
    }

    /// The error that an answer without a message is.
    private func error(of response: HTTPClientResponse) async throws -> RPCError {
        let foreign = RPCError.foreignAnswer(response.status.code, response.contentType)
        guard response.status != .ok, response.contentType == "application/json" else { return foreign }
        let body = try await response.body.collect(upTo: limits.maxMessageBytes)
        return RPCError(connectError: Array(body.readableBytesView)[...]) ?? foreign
    }

    private func failure(_ error: any Error) -> RPCError {
        let problem = RPCError(error, at: address, connectTimeout: limits.connectTimeout)
        if problem.reason == RPCError.connectFailed("").reason { calls.refuse(problem) }
        return problem
    }
}

/// The limits and timeouts of a client's calls over HTTP.
package struct HTTPChannelLimits: Hashable, Sendable {
    /// The longest message, in either direction. The server's limit should not be smaller.
    package var maxMessageBytes = 1 << 20
    /// Until a connection is open, with its TLS; then UNAVAILABLE, `connect_failed`.
    package var connectTimeout = Duration.seconds(10)
    /// After this long without a frame from the server, while a call is in flight, the client sends a ping. Over HTTP/2 alone.
    package var keepAliveInterval = Duration.seconds(30)
    /// How long the pong may take; then every call of the connection fails with UNAVAILABLE, `connection_lost`.
    package var pongTimeout = Duration.seconds(15)
    /// How long ``HTTPChannel/close()`` waits for the calls in flight.
    package var closeTimeout = Duration.seconds(10)
    /// Bytes of stream items that are not taken; beyond it no more of the stream is read.
    package var maxQueuedItemBytes = 1 << 20
    /// Connections of HTTP/1.1, each of which has one call at a time; further calls wait for one.
    package var maxConnections = 64

    package init() {}
}

extension HTTPClientResponse {
    /// In lower case, without parameters.
    fileprivate var contentType: String {
        let value = headers.first(name: "content-type") ?? ""
        return value.prefix { $0 != ";" && $0 != " " }.lowercased()
    }

    /// Whether it has a message, or messages, and not an error.
    fileprivate func isOf(_ form: HTTPChannel.Form) -> Bool {
        let encoding = headers.first(name: form == .stream ? "connect-content-encoding" : "content-encoding") ?? "identity"
        return status == .ok && contentType == form.contentType && encoding == "identity"
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, at most ten digits.
    fileprivate var connectMilliseconds: Int64 {
        let longest: Int64 = 9_999_999_999
        let (seconds, attoseconds) = components
        guard seconds < longest / 1000 else { return longest }
        return max(1, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
