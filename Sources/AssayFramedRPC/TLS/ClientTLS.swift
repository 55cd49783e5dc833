package import AssayListening
import Foundation
import NIOCore
import NIOSSL
import NIOTLS
import Synchronization

/// A client's side of TLS 1.3: its certificate, and the CAs that the server's certificate must come from.
package struct ClientTLS: Sendable {
    private let context: NIOSSLContext
    private let serverName: String?
    /// Of the CAs that are trusted, to explain a certificate that is not.
    let authorityDates: [TLSCredentials.Dates]

    /// - Parameter serverName: the DNS name that the server's certificate must have; nil: the host of the address, a name or an IP
    ///   address.
    package init(_ credentials: TLSCredentials, serverName: String? = nil) throws(TLSError) {
        context = try credentials.context(for: [FramedProtocol.name]) { credentials in
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates(credentials.authorities)
            configuration.certificateChain = credentials.chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(credentials.privateKey)
            return configuration
        }
        self.serverName = serverName
        authorityDates = credentials.authorityDates
    }

    /// A client that shows no certificate.
    ///
    /// - Parameter authorities: PEM, the CAs that the server's certificate must come from.
    package init(authorities: [UInt8], serverName: String? = nil) throws(TLSError) {
        let roots = try TLSCredentials.read(authorities, .authorities)
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(roots)
        configuration.minimumTLSVersion = .tlsv13
        configuration.applicationProtocols = [FramedProtocol.name]
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSError(.authorities, TLSFailure.explain(error))
        }
        authorityDates = roots.map(TLSCredentials.Dates.init)
        self.serverName = serverName
    }

    /// The DNS name that the certificate of a server at this host must have; nil for a host that is an IP address, which the
    /// certificate must then have.
    func expectedName(at host: String) -> String? {
        let isNumeric = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return serverName ?? (isNumeric ? nil : host)
    }

    /// The TLS handler of one connection. Throws for an invalid server name.
    func handler(host: String) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: expectedName(at: host))
    }
}

/// Follows TLS in the pipeline of a client's connection, and keeps the first TLS error: the server verifies the client's certificate
/// after the client's side of the handshake has ended, so the error arrives late.
final class ClientHandshake: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let host: String
    private let serverName: String?
    private let authorities: [TLSCredentials.Dates]
    private let failure = Mutex<String?>(nil)

    /// - Parameters:
    ///   - host: the server's, as the address names it.
    ///   - tls: has the DNS name that the server's certificate must have; without one TLS verifies the address.
    init(host: String, _ tls: ClientTLS) {
        (self.host, serverName, authorities) = (host, tls.expectedName(at: host), tls.authorityDates)
    }

    /// The first error.
    var problem: String? { failure.withLock { $0 } }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            if negotiated != FramedProtocol.name {
                end(context, "the server does not speak \(FramedProtocol.name)")
            } else if let serverName, !names(context).contains(serverName.lowercased()) {
                end(context, missing(serverName, context))
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// The DNS names of the server's certificate, in lower case. TLS also accepts a certificate with the address in place of the
    /// name; this check does not.
    private func names(_ context: ChannelHandlerContext) -> [String] {
        guard let certificate = certificate(context) else { return [] }
        return certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }.map {
            String(decoding: $0.contents, as: UTF8.self).lowercased()
        }
    }

    private func missing(_ name: String, _ context: ChannelHandlerContext) -> String {
        certificate(context).map { ServerCertificateFault.explain(missing: name, in: $0) }
            ?? "the server's certificate does not have the name \(name)"
    }

    /// What the server has shown, verified or not.
    private func certificate(_ context: ChannelHandlerContext) -> NIOSSLCertificate? {
        try? context.pipeline.syncOperations.nioSSL_peerCertificate()
    }

    private func end(_ context: ChannelHandlerContext, _ problem: String) {
        note(problem)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        note("TLS: " + explain(error, context))
        context.fireErrorCaught(error)
    }

    private func explain(_ error: any Error, _ context: ChannelHandlerContext) -> String {
        if error as? NIOSSLExtraError == .failedToValidateHostname { return missing(serverName ?? host, context) }
        let words = TLSFailure.explain(error)
        guard words.contains("certificate_verify_failed"), let certificate = certificate(context) else {
            return TLSFailure.explainToClient(error)
        }
        return words + ": "
            + ServerCertificateFault.explain(TLSCredentials.Dates(certificate), authorities: authorities, at: Int64(time(nil)))
    }

    private func note(_ problem: String) { failure.withLock { $0 = $0 ?? problem } }
}
