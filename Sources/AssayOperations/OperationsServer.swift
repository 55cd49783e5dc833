package import AssayListening
package import AssayRPC
package import Logging
import ServiceLifecycle
import Synchronization

/// The operations address: probes, metrics and status over HTTP/1.1, apart from the calls, on an event loop of its own.
///
/// It answers until graceful shutdown, so that the probes say that the daemon stops while it stops.
package final class OperationsServer: Service {
    /// What it offers in TLS. A scraper that keeps its connection does not answer the end of it: the daemon's stop does not wait for that.
    package static let offer = TLSOffer(["http/1.1"], isRequired: false, shutdownTimeout: .milliseconds(200))

    private let hasAddresses: Bool
    private let withoutCertificates: Set<RPCAddress>
    private let limits: OperationsLimits
    private let responder: OperationsResponder
    private let rule: Mutex<OperationsRule>
    private let logger: Logger
    private let register: ConnectionRegister
    private let listeners: ListenerGroup

    /// - Parameters:
    ///   - addresses: where to listen; none: it does nothing.
    ///   - tls: for the addresses with TLS, which cannot be listened at without it.
    ///   - withoutCertificates: addresses with TLS at which clients may show an API key in place of a certificate.
    package init(
        addresses: [RPCAddress], withoutCertificates: Set<RPCAddress> = [], rule: OperationsRule, source: OperationsSource,
        tls: ServerTLS? = nil,
        limits: OperationsLimits = OperationsLimits(), logger: Logger
    ) {
        (self.withoutCertificates, self.limits, self.logger) = (withoutCertificates, limits, logger)
        self.rule = Mutex(rule)
        responder = OperationsResponder(source)
        hasAddresses = !addresses.isEmpty
        register = ConnectionRegister(limits.ofConnections, logger: logger)
        // One event loop: scrapes take none of the processors from calls.
        listeners = ListenerGroup(addresses, tls: tls, threads: 1, register: register)
    }

    /// Replaces what peers may see. It holds from the next request on, of open connections too.
    package func use(_ rule: OperationsRule) { self.rule.withLock { $0 = rule } }

    /// Connections that are open now, those in a handshake included.
    package var openConnections: Int {
        let statistics = register.statistics
        return statistics.openConnections + statistics.handshakesUnderWay
    }

    /// Listens, and tells where. A second call tells it again.
    ///
    /// - Throws: `RPCBindError` for the first address that cannot be listened at; then it listens at none.
    @discardableResult
    package func start() async throws -> [RPCAddress] {
        guard hasAddresses else { return [] }
        let served = OperationsConnections(
            responder: responder, rule: { self.rule.withLock { $0 } }, limits: limits, register: register,
            withoutCertificates: withoutCertificates, logger: logger)
        return try await listeners.open(served) {
            logger.info("answers probes and scrapes", metadata: ["operations": "\($0)"])
        }
    }

    package func run() async throws {
        try await start()
        try? await gracefulShutdown()
        await stop()
    }

    /// Stops listening and closes all connections. Idempotent.
    package func stop() async { await listeners.close() }
}

/// The bounds on what peers of the operations address hold. Honest peers are a scraper or two, and the probes of a service manager.
package struct OperationsLimits: Hashable, Sendable {
    /// Open connections; a new one beyond it ends one of the address that has most (`ConnectionPlaces`).
    package var connections = 64
    /// The longest time without a whole request head.
    package var idle = Duration.seconds(30)
    /// The longest time from a request's head to the end of its answer.
    package var answer = Duration.seconds(10)
    /// The longest life of a connection. It is closed after its next answer then, so that certificates are verified once more.
    package var life = Duration.seconds(600)
    /// The longest header, all of them, in bytes, and their number. The path counts as a header.
    package var headerBytes = 8 << 10
    package var allHeaderBytes = 16 << 10
    package var headers = 64
    /// From accept to the end of the TLS handshake. Handshakes have as many places as connections, beside them.
    package var handshake = Duration.seconds(5)

    package init() {}

    /// Those of its connections: each gives way to a newcomer, since the operator must get in.
    var ofConnections: ConnectionLimits {
        var limits = ConnectionLimits()
        (limits.maxConnections, limits.maxHandshakes, limits.handshakeTimeout) = (connections, connections, handshake)
        limits.givesWay = .requested
        return limits
    }
}
