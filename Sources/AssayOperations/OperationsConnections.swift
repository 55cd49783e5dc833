import AssayListening
import AssayRPC
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// Serves the connections of the operations address: HTTP/1.1 by HummingbirdCore, under bounds, and for each request the peer's grant.
struct OperationsConnections: ConnectionProtocol {
    let responder: OperationsResponder
    let rule: @Sendable () -> OperationsRule
    let limits: OperationsLimits
    let register: ConnectionRegister
    /// Addresses with TLS at which clients may show an API key in place of a certificate.
    let withoutCertificates: Set<RPCAddress>
    let logger: Logger

    /// What is known of a connection before its first request.
    private struct Connection: Sendable {
        /// With TLS: the names in its certificate, none without one.
        let peer: RPCPeer
        /// `nil` without TLS and without a certificate.
        let certificate: PeerCertificateLifetime?
        let place: ConnectionPlace
        let began = ContinuousClock.now

        /// The peer as its address alone shows it.
        var withoutCertificate: RPCPeer {
            guard case .tls(let address, let port, _) = peer else { return peer }
            return .tls(address: address, port: port, names: RPCPeerNames(uris: [], dnsNames: []))
        }

        /// The peer as it may be a caller; `nil` for a TLS peer without a certificate.
        var known: RPCPeer? {
            if case .tls = peer, certificate == nil { return nil }
            return peer
        }

        /// False once its certificate has ended, or a CA is gone that it may have been verified with.
        var authenticates: Bool { certificate?.verdict() == nil }
    }

    var offer: TLSOffer { OperationsServer.offer }

    func requiresCertificate(of peer: RPCPeer, at address: RPCAddress) -> Bool {
        !withoutCertificates.contains(address) && !rule().answersWithoutCertificate(isLocal: peer.isOnThisMachine)
    }

    func serve(_ accepted: AcceptedConnection) throws {
        let channel = accepted.channel
        let (entry, place) = register.enter(from: accepted.peer, as: PeerIdentity(accepted.peer)) { _ in
            channel.close(promise: nil)
        }
        guard entry == .serve else {
            place.leave()
            throw ChannelError.ioOnClosedChannel
        }
        let http = http(Connection(peer: accepted.peer, certificate: accepted.certificate, place: place))
        // The handlers are in the pipeline when this returns: it runs on the channel's event loop.
        http.setup(channel: channel, logger: logger).whenComplete { [logger] result in
            switch result {
            case .success(let value):
                // Also for a channel that is closed: its stream must be ended.
                Task {
                    await http.handle(value: value, logger: logger)
                    place.leave()
                }
            case .failure:
                place.leave()
                channel.close(promise: nil)
            }
        }
    }

    private func http(_ connection: Connection) -> HTTP1Channel {
        HTTP1Channel(
            responder: { request, writer, channel in
                connection.place.advance(to: .requested)
                // A peer that does not read its answer, or an answer that takes too long, ends the connection.
                let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.answer)) { channel.close(promise: nil) }
                defer { deadline.cancel() }
                let mayHaveBody = request.headers[.contentLength].map { $0 != "0" } ?? false
                let hasBody = mayHaveBody || request.headers[.transferEncoding] != nil
                let authenticates = connection.authenticates
                let isLast = hasBody || ContinuousClock.now - connection.began > limits.life || !authenticates
                let answer =
                    hasBody
                    ? .init(400, "a request here has no body")
                    : await answer(request, authenticates ? connection.known : nil, connection) { channel.isActive }
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

    /// - Parameter known: the peer as it may be a caller.
    private func answer(
        _ request: Request, _ known: RPCPeer?, _ connection: Connection, isAwaited: @Sendable () -> Bool
    ) async -> OperationsResponder.Answer {
        var peer = known
        let rule = rule()
        if let credential = request.headers[.authorization] {
            guard let identified = rule.identify(peer ?? connection.withoutCertificate, credential) else {
                return .init(401, "the credential is not known here, or no longer valid")
            }
            peer = identified
        }
        let grant = rule.grant(peer, isLocal: connection.peer.isOnThisMachine)
        let accept = request.headers[values: .accept].joined(separator: ",")
        return await responder.answer(
            request.method.rawValue, request.uri.path, accept: accept, peer, grant, isAwaited: isAwaited)
    }
}
