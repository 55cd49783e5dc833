import AssayFramedRPC
import AssayRPC
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// Serves the connections of the operations address: HTTP/1.1 by HummingbirdCore, under bounds, and for each request the peer's grant.
struct OperationsConnectionService: Sendable {
    private let responder: OperationsResponder
    private let rule: @Sendable () -> OperationsRule
    let tls: ServerTLS?
    private let limits: OperationsLimits
    private let connections: ConnectionPlaces
    private let logger: Logger

    init(
        responder: OperationsResponder, rule: @escaping @Sendable () -> OperationsRule, tls: ServerTLS?,
        limits: OperationsLimits, connections: ConnectionPlaces, logger: Logger
    ) {
        (self.responder, self.rule, self.tls, self.limits) = (responder, rule, tls, limits)
        (self.connections, self.logger) = (connections, logger)
    }

    /// What is known of a connection before its first request.
    private struct Connection: Sendable {
        /// Of a TLS connection its address; the certificate tells more.
        let peer: RPCPeer
        let isTLS: Bool
        /// `ServerTLS.version` when it began.
        let tlsVersion: Int
        let place: ConnectionPlaces.Number
        let began = ContinuousClock.now

        /// The peer as its address alone shows it.
        var withoutCertificate: RPCPeer {
            guard isTLS, case .tcp(let address, let port, _) = peer else { return peer }
            return .tls(address: address, port: port, names: RPCPeerNames(uris: [], dnsNames: []))
        }

        var isLocal: Bool {
            switch peer {
            case .unix: true
            case .tcp(_, _, let isLoopback): isLoopback
            case .tls(let address, _, _): RPCPeer.isLoopback(address)
            // A connection begins without an API key.
            case .key: false
            }
        }
    }

    /// Sets up an accepted channel, and serves it in a task of its own.
    ///
    /// - Parameter takesKeys: whether a TLS client without a certificate may connect, since it may show an API key.
    func serve(_ channel: any Channel, isTLS: Bool, takesKeys: Bool) -> EventLoopFuture<Void> {
        RPCPeer.of(channel).flatMap { peer in
            let origin = ConnectionOrigin(peer)
            let place = connections.enter(from: origin, at: isTLS ? .handshake : .silent) { channel.close(promise: nil) }
            guard let place else { return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
            let connection = Connection(peer: peer, isTLS: isTLS, tlsVersion: tls?.version ?? 0, place: place)
            let http = http(connection)
            let isReady = channel.eventLoop.makeCompletedFuture {
                guard isTLS, let tls else { return }
                let isOpen = takesKeys || rule().answersWithoutCertificate(isLocal: connection.isLocal)
                try channel.pipeline.syncOperations.addHandler(tls.httpHandshake(requiresCertificate: !isOpen))
                try channel.pipeline.syncOperations.addHandler(
                    HandshakeEnd { [connections] in connections.advance(place, to: .silent) })
            }.flatMap {
                http.setup(channel: channel, logger: logger)
            }.map { value in
                // Also for a channel that is closed: its stream must be ended.
                Task { [connections] in
                    await http.handle(value: value, logger: logger)
                    connections.leave(place)
                }
                return ()
            }
            isReady.whenFailure { [connections] _ in connections.leave(place) }
            return isReady
        }
    }

    private func http(_ connection: Connection) -> HTTP1Channel {
        HTTP1Channel(
            responder: { request, writer, channel in
                connections.advance(connection.place, to: .requested)
                // A peer that does not read its answer, or an answer that takes too long, ends the connection.
                let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.answer)) { channel.close(promise: nil) }
                defer { deadline.cancel() }
                let mayHaveBody = request.headers[.contentLength].map { $0 != "0" } ?? false
                let hasBody = mayHaveBody || request.headers[.transferEncoding] != nil
                let isLast = hasBody || ContinuousClock.now - connection.began > limits.life || isOutdated(connection)
                let answer = hasBody ? .init(400, "a request here has no body") : await answer(request, connection, channel)
                var fields: HTTPFields = [
                    .contentType: answer.contentType, .contentLength: "\(answer.body.count)", .cacheControl: "no-store",
                    .xContentTypeOptions: "nosniff",
                ]
                fields[.allow] = answer.allow
                if answer.status == 401 { fields[.wwwAuthenticate] = "Bearer" }
                if isLast { fields[.connection] = "close" }
                let head = HTTPResponse(status: .init(code: answer.status), headerFields: fields)
                let isHead = request.method == .head
                try await writer.write(
                    response: head, body: isHead ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
                if isLast { channel.close(mode: .output, promise: nil) }
            },
            configuration: HTTP1Channel.Configuration(
                idleTimeout: TimeAmount(limits.idle),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.allHeaderBytes,
                    maxHeaderFieldCount: limits.headers)))
    }

    private func isOutdated(_ connection: Connection) -> Bool { connection.isTLS && connection.tlsVersion != tls?.version }

    private func answer(
        _ request: Request, _ connection: Connection, _ channel: any Channel
    ) async -> OperationsResponder.Answer {
        var peer = await peer(of: connection, channel)
        let rule = rule()
        if let credential = request.headers[.authorization] {
            guard let identified = rule.identify(peer ?? connection.withoutCertificate, credential) else {
                return .init(401, "the credential is not known here, or no longer valid")
            }
            peer = identified
        }
        let grant = rule.grant(peer, isLocal: connection.isLocal)
        let accept = request.headers[values: .accept].joined(separator: ",")
        return await responder.answer(request.method.rawValue, request.uri.path, accept: accept, peer, grant)
    }

    /// The peer of a request. `nil` for a TLS connection without a certificate, with one that has ended since, or verified by CAs
    /// that were replaced since.
    private func peer(of connection: Connection, _ channel: any Channel) async -> RPCPeer? {
        guard connection.isTLS else { return connection.peer }
        guard let tls, !isOutdated(connection), case .tcp(let address, let port, _) = connection.peer else { return nil }
        guard let certificate = try? await channel.nioSSL_peerCertificate().get() else { return nil }
        return tls.peer(showing: certificate, address: address, port: port)
    }
}

/// Tells when the TLS handshake of a connection has ended.
private final class HandshakeEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let onEnd: () -> Void

    init(_ onEnd: @escaping () -> Void) { self.onEnd = onEnd }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { onEnd() }
        context.fireUserInboundEventTriggered(event)
    }
}
