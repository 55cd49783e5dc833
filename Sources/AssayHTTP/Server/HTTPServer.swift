package import AssayListening
package import AssayRPC
package import Logging
import NIOCore

/// The front for HTTP: gRPC, gRPC-Web and Connect over HTTP/1.1 and HTTP/2 (docs/reference/http.md). A graceful stop tells every client to begin no more, lets
/// what is in work finish within the drain timeout, and closes the connections and the listeners.
package final class HTTPServer: RPCFront {
    /// What it offers in TLS. A client that names none of them is served HTTP/1.1.
    package static let offer = TLSOffer(["h2", "http/1.1"], isRequired: false)

    private let withoutCertificates: Set<RPCAddress>
    private let limits: HTTPLimits
    private let settings: HTTPSettings
    private let resources: [any HTTPResource]
    private let health: HealthRegister
    private let logger: Logger
    /// Of all connections since the server was made.
    private let register: ConnectionRegister
    private let listeners: ListenerGroup

    /// - Parameters:
    ///   - addresses: where to listen; port 0 lets the kernel choose.
    ///   - threads: event loops. They move bytes and requests, and work on a call that is alone.
    ///   - tls: for the addresses with TLS, which cannot be listened at without it.
    ///   - withoutCertificates: addresses with TLS at which clients may show no certificate.
    ///   - resources: what GET reads, beside the calls.
    ///   - health: what `grpc.health.v1` answers.
    package init(
        addresses: [RPCAddress], limits: HTTPLimits = HTTPLimits(), connections: ConnectionLimits = ConnectionLimits(),
        settings: HTTPSettings = HTTPSettings(), logger: Logger, threads: Int, tls: ServerTLS? = nil,
        withoutCertificates: Set<RPCAddress> = [], resources: [any HTTPResource] = [], health: HealthRegister = HealthRegister()
    ) {
        (self.withoutCertificates, self.limits, self.settings) = (withoutCertificates, limits, settings)
        (self.resources, self.health, self.logger) = (resources, health, logger)
        register = ConnectionRegister(connections, logger: logger)
        listeners = ListenerGroup(addresses, tls: tls, threads: threads, register: register)
    }

    package var statistics: RPCStatistics { register.statistics }

    @discardableResult
    package func start(serving service: RPCService) async throws -> [RPCAddress] {
        let server = HTTPServerState(
            limits: limits, settings: settings, service: service, register: register, resources: resources, health: health)
        let served = HTTPProtocol(server: server, withoutCertificates: withoutCertificates)
        return try await listeners.open(served) {
            logger.info("listening", metadata: ["address": "\($0)", "protocol": "http"])
        }
    }

    /// Takes at most the drain and linger timeouts, and the time that closing takes.
    package func stop() async {
        let hasListened = await listeners.close {
            health.stop()
            logger.info("stopping", metadata: ["connections": "\(register.statistics.openConnections)", "protocol": "http"])
        }
        if hasListened { logger.info("finished the requests in work, and listens no more", metadata: ["protocol": "http"]) }
    }
}
