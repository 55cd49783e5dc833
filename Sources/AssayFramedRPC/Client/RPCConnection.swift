import AssayListening
package import AssayRPC
import NIOCore
import NIOPosix
package import SwiftProtobuf

/// A client's connection to a framed server. Calls are multiplexed: any number of tasks may make any number of calls at once.
///
/// It does not reconnect. When ``isOpen`` is false, or a call fails with UNAVAILABLE, make another connection. A connection that is
/// released without ``close()`` is closed at once.
package final class RPCConnection: Sendable {
    package typealias OnReply = @Sendable (Result<[UInt8], RPCError>) -> Void

    private let limits: RPCConnectionLimits
    private let channel: any Channel
    private let pending: PendingCalls
    private let outbox: Outbox
    private let budget: ItemBudget
    private let handler: NIOLoopBound<ClientConnection>

    /// - Parameter tls: required for an address with TLS. The connection is then returned when the server has accepted the client's
    ///   certificate.
    /// - Throws: UNAVAILABLE, `connect_failed`.
    package static func connect(
        to address: RPCAddress, limits: RPCConnectionLimits = RPCConnectionLimits(), tls: ClientTLS? = nil
    ) async throws(RPCError) -> RPCConnection {
        let handshake: ClientHandshake? =
            if case .tls(let host, _) = address { tls.map { ClientHandshake(host: host, $0) } } else { nil }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(limits.connectTimeout))
            .channelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
        let initializer: @Sendable (any Channel) -> EventLoopFuture<RPCConnection> = { channel in
            channel.eventLoop.makeCompletedFuture {
                if case .tls(let host, _) = address, let tls, let handshake {
                    try channel.pipeline.syncOperations.addHandlers(tls.handler(host: host), handshake)
                }
                return try RPCConnection(channel, limits)
            }
        }
        do {
            switch address {
            case .tcp(let host, let port):
                return try await bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: host, port: port, channelInitializer: initializer)
            case .tls(let host, let port):
                guard tls != nil else { throw RPCError.connectFailed("no certificate to show") }
                let connection = try await bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: host, port: port, channelInitializer: initializer)
                try await connection.awaitAcceptance(within: limits.connectTimeout)
                return connection
            case .unix(let path, _):
                return try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: initializer)
            }
        } catch {
            let why = handshake?.problem ?? ConnectFailure.explain(error, at: address)
            throw .connectFailed("\(address): \(why)")
        }
    }

    /// Waits until the server has answered a ping: until then it may still refuse the certificate.
    private func awaitAcceptance(within limit: Duration) async throws(RPCError) {
        let channel = channel
        let timer = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
        defer { timer.cancel() }
        _ = try await ping()
    }

    /// Serves adopted sockets: what a process at the other end sends without pause does not slow down other connections.
    private static let adoptedLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Takes over a connected socket, such as one end of a socket pair, and closes it at the end.
    ///
    /// - Parameter handler: answers the calls that the other side begins; `nil`: they are ignored.
    /// - Throws: UNAVAILABLE, `connect_failed`.
    package static func adopt(
        _ socket: CInt, limits: RPCConnectionLimits = RPCConnectionLimits(), serving handler: (any PeerCallHandler)? = nil
    ) async throws(RPCError) -> RPCConnection {
        do {
            return try await ClientBootstrap(group: adoptedLoops)
                .channelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
                .withConnectedSocket(socket) { channel in
                    channel.eventLoop.makeCompletedFuture { try RPCConnection(channel, limits, serving: handler) }
                }
        } catch {
            throw .connectFailed("the socket cannot be used: \(error)")
        }
    }

    private init(
        _ channel: any Channel, _ limits: RPCConnectionLimits, serving peer: (any PeerCallHandler)? = nil
    ) throws {
        let loop = channel.eventLoop
        let pending = PendingCalls()
        let outbox = Outbox(loop: loop)
        // A flush resumes reading if the budget allows it.
        let budget = ItemBudget(limit: limits.maxQueuedItemBytes) { outbox.add() }
        let peerCalls = peer.map { PeerCalls($0, outbox: outbox, limits: limits) }
        let handler = ClientConnection(
            limits: limits, pending: pending, outbox: outbox, budget: budget, peerCalls: peerCalls, loop: loop)
        try channel.pipeline.syncOperations.addHandler(handler)
        (self.limits, self.channel) = (limits, channel)
        (self.pending, self.outbox, self.budget) = (pending, outbox, budget)
        self.handler = NIOLoopBound(handler, eventLoop: loop)
    }

    deinit { channel.close(promise: nil) }

    /// Whether calls are taken. False once the server has sent GoAway, the connection is lost, or ``close()`` was called.
    package var isOpen: Bool { !pending.isRefusing }

    // MARK: Calls

    /// Makes a call and waits for its answer. Cancelling the task cancels the call.
    ///
    /// - Parameters:
    ///   - timeout: sent to the server as the deadline, and enforced here too. Nil: wait until the connection ends.
    ///   - enforcesTimeout: false: the timeout is only sent, and the answer is waited for until the connection ends.
    package func call<Reply: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, returning: Reply.Type = Reply.self, timeout: Duration? = nil,
        enforcesTimeout: Bool = true, metadata: RPCMetadata = [:]
    ) async throws(RPCError) -> Reply {
        let message = try request.serialised()
        let id = pending.newID()
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<[UInt8], RPCError>, Never>) in
                begin(id, method, message, timeout, metadata, .reply { continuation.resume(returning: $0) }, enforcesTimeout)
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
        guard let reply = try? Reply(serializedBytes: try answer.get()) else { throw answer.error ?? .undecodableReply }
        return reply
    }

    /// Makes a call whose answer is a stream of messages.
    package func stream<Item: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, of: Item.Type = Item.self, timeout: Duration? = nil,
        metadata: RPCMetadata = [:]
    ) throws(RPCError) -> RPCItems<Item> {
        let message = try request.serialised()
        let id = pending.newID()
        let queue = ItemQueue(budget: budget)
        begin(id, method, message, timeout, metadata, .stream(queue))
        // The stream keeps the connection open, as a waiting call does.
        return RPCItems(queue) { self.cancel(id) }
    }

    /// Makes a call without waiting: one task can make many calls at once.
    ///
    /// - Parameter onReply: gets the serialised answer, exactly once: on the connection's event loop, which it must not block, or on
    ///   the caller's thread if the call cannot be begun.
    package func send(
        _ method: String, message: [UInt8], timeout: Duration? = nil, metadata: RPCMetadata = [:], onReply: @escaping OnReply
    ) {
        begin(pending.newID(), method, message, timeout, metadata, .reply(onReply))
    }

    private func begin(
        _ id: UInt64, _ method: String, _ message: [UInt8], _ timeout: Duration?, _ metadata: RPCMetadata,
        _ waiter: PendingCalls.Waiter, _ enforcesTimeout: Bool = true
    ) {
        let metadataSize = metadata.entries.reduce(0) { $0 + 16 + $1.key.utf8.count + $1.value.utf8.count }
        let size = message.count + method.utf8.count + metadataSize + ByteBuffer.frameOverhead
        guard size <= limits.maxFrameBytes else { return waiter.settle(.failure(.messageTooLarge)) }
        if let timeout, timeout <= .zero { return waiter.settle(.failure(.deadlineExceeded)) }
        let due = enforcesTimeout ? timeout.map { NIODeadline.now() + TimeAmount($0) } : nil
        if let refusal = pending.add(id, waiter, due: due) { return waiter.settle(.failure(refusal)) }

        var isFull = false
        let isOpen = outbox.add { batch in
            isFull = batch.bytes.readableBytes > limits.maxOutboundBytes
            // A call that was cancelled meanwhile has sent its Cancel already; its Call must not follow.
            if !isFull, pending.isWaiting(id) { batch.bytes.writeCall(id, method, message, timeout.milliseconds, metadata) }
        }
        if isFull { pending.take(id)?.settle(.failure(.sendBufferFull)) }
        if !isOpen { pending.take(id)?.settle(.failure(.connectionLost)) }
    }

    /// Ends a waiting call. The server gets Cancel, and drops the work unless it has joined a commit.
    private func cancel(_ id: UInt64) {
        guard let waiter = pending.take(id) else { return }
        outbox.add { $0.bytes.writeCancel(id) }
        waiter.settle(.failure(.cancelled))
    }

    // MARK: The connection

    /// The time that a frame takes to the server and back, the work of the server's event loop included.
    package func ping() async throws(RPCError) -> Duration {
        let handler = handler
        let pong = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Duration, RPCError>, Never>) in
            channel.eventLoop.execute { handler.value.ping { continuation.resume(returning: $0) } }
        }
        return try pong.get()
    }

    /// Takes no more calls, waits for those in flight for at most the close timeout, and closes.
    package func close() async {
        pending.refuse(.connectionClosed)
        let handler = handler
        channel.eventLoop.execute { handler.value.leave() }
        await closed()
    }

    /// Closes at once: calls in flight fail.
    package func abort() { channel.close(promise: nil) }

    /// Why the connection ended; `nil` while it is open.
    package var end: RPCError? { pending.end }

    /// Suspends until the connection has ended, by either side. All calls have their results then.
    package func closed() async { try? await channel.closeFuture.get() }
}

/// The limits and timeouts of a client's connection.
package struct RPCConnectionLimits: Hashable, Sendable {
    /// The longest frame, in either direction, without its length. The server's limit should not be smaller.
    package var maxFrameBytes = 1 << 20
    /// From the first attempt until the connection is open; then UNAVAILABLE, `connect_failed`.
    package var connectTimeout = Duration.seconds(10)
    /// After this long without a byte from the server the client sends a ping. Below the server's idle timeout.
    package var keepAliveInterval = Duration.seconds(30)
    /// How long the pong may take; then every call fails with UNAVAILABLE, `connection_lost`.
    package var pongTimeout = Duration.seconds(15)
    /// How long ``RPCConnection/close()`` waits for the calls in flight.
    package var closeTimeout = Duration.seconds(10)
    /// Bytes of calls that wait because the server does not read; beyond it a call fails with `send_buffer_full`.
    package var maxOutboundBytes = 16 << 20
    /// Bytes of answers to what the server sent, such as pongs, that wait because it does not read; beyond it the connection ends with
    /// `answers_not_read`.
    package var maxAnswerBytes = 256 << 10
    /// How long bytes may wait for the kernel's socket buffer; then the connection ends with `write_timeout`.
    package var writeTimeout = Duration.seconds(30)
    /// Bytes of stream items that are not taken; beyond it nothing is read, so that answers of other calls wait too.
    package var maxQueuedItemBytes = 1 << 20

    package init() {}
}

extension Duration? {
    /// Whole milliseconds, rounded up, as on the wire; 0 for none.
    fileprivate var milliseconds: UInt32 {
        guard let self else { return 0 }
        let (seconds, attoseconds) = self.components
        guard seconds < Int64(UInt32.max / 1000) else { return .max }
        return max(1, UInt32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

extension Result where Failure == RPCError {
    fileprivate var error: RPCError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
