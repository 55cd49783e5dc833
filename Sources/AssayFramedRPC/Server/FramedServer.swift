package import AssayListening
package import AssayRPC
package import Logging
import NIOCore

/// The front for framed RPC (proto/README.md). A graceful stop sends GoAway on every connection, lets the calls in flight finish
/// within the drain timeout, and closes the connections and the listeners.
package final class FramedServer: RPCFront {
    /// What it offers in TLS.
    package static let offer = TLSOffer([FramedProtocol.name], isRequired: true)

    /// Processors that the process may use, a container's share of processor time included.
    package static var processors: Int { System.coreCount }

    private let withoutCertificates: Set<RPCAddress>
    private let limits: FramedLimits
    private let logger: Logger
    /// Of all connections since the server was made.
    private let register: ConnectionRegister
    private let listeners: ListenerGroup

    /// - Parameters:
    ///   - addresses: where to listen; port 0 lets the kernel choose.
    ///   - threads: event loops. They move bytes and frames, and work on a call that is alone.
    ///   - tls: for the addresses with TLS, which cannot be listened at without it.
    ///   - withoutCertificates: addresses with TLS at which clients may show no certificate.
    package init(
        addresses: [RPCAddress], limits: FramedLimits = FramedLimits(), connections: ConnectionLimits = ConnectionLimits(),
        logger: Logger, threads: Int = FramedServer.processors, tls: ServerTLS? = nil,
        withoutCertificates: Set<RPCAddress> = []
    ) {
        (self.withoutCertificates, self.limits, self.logger) = (withoutCertificates, limits, logger)
        register = ConnectionRegister(connections, logger: logger)
        listeners = ListenerGroup(addresses, tls: tls, threads: threads, register: register)
    }

    package var statistics: RPCStatistics { register.statistics }

    @discardableResult
    package func start(serving service: RPCService) async throws -> [RPCAddress] {
        let server = ServerState(limits: limits, service: service, register: register)
        let served = FramedProtocol(server: server, withoutCertificates: withoutCertificates)
        return try await listeners.open(served) {
            logger.info("listening", metadata: ["address": "\($0)", "protocol": "framed"])
        }
    }

    /// Takes at most the drain and linger timeouts, and the time that closing takes.
    package func stop() async {
        let hasListened = await listeners.close {
            logger.info("stopping", metadata: ["connections": "\(register.statistics.openConnections)"])
        }
        if hasListened { logger.info("finished the calls in flight, and listens no more") }
    }
}
