package import AssayFramedRPC
package import AssayRPC
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The operations address: probes, metrics and status over HTTP/1.1, apart from the calls, on an event loop of its own.
///
/// It answers until graceful shutdown, so that the probes say that the daemon stops while it stops.
package final class OperationsServer: Service {
    private enum Stage {
        case idle
        case running([OperationsListener], MultiThreadedEventLoopGroup)
        case stopped
    }

    private let addresses: [RPCAddress]
    private let withoutCertificates: Set<RPCAddress>
    private let limits: OperationsLimits
    private let tls: ServerTLS?
    private let responder: OperationsResponder
    private let rule: Mutex<OperationsRule>
    private let logger: Logger
    private let stage = Mutex(Stage.idle)
    private let connections: ConnectionPlaces

    /// - Parameters:
    ///   - addresses: where to listen; none: it does nothing.
    ///   - tls: for the addresses with TLS, which cannot be listened at without it.
    ///   - withoutCertificates: addresses with TLS at which clients may show an API key in place of a certificate.
    package init(
        addresses: [RPCAddress], withoutCertificates: Set<RPCAddress> = [], rule: OperationsRule, source: OperationsSource,
        tls: ServerTLS? = nil,
        limits: OperationsLimits = OperationsLimits(), logger: Logger
    ) {
        (self.addresses, self.limits, self.tls, self.logger) = (addresses, limits, tls, logger)
        self.withoutCertificates = withoutCertificates
        self.rule = Mutex(rule)
        responder = OperationsResponder(source)
        connections = ConnectionPlaces(limit: limits.connections)
    }

    /// Replaces what peers may see. It holds from the next request on, of open connections too.
    package func use(_ rule: OperationsRule) { self.rule.withLock { $0 = rule } }

    /// Connections that are open now.
    package var openConnections: Int { connections.count }

    /// Listens, and tells where. A second call tells it again.
    ///
    /// - Throws: `RPCBindError` for the first address that cannot be listened at; then it listens at none.
    @discardableResult
    package func start() async throws -> [RPCAddress] {
        if case .running(let listeners, _) = stage.withLock({ $0 }) { return listeners.map(\.address) }
        guard !addresses.isEmpty else { return [] }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let service = OperationsConnectionService(
            responder: responder, rule: { self.rule.withLock { $0 } }, tls: tls, limits: limits, connections: connections,
            logger: logger)
        var listeners: [OperationsListener] = []
        do {
            for address in addresses {
                let takesKeys = withoutCertificates.contains(address)
                listeners.append(try await OperationsListener.open(address, group, service, takesKeys: takesKeys))
            }
        } catch {
            await close(listeners, group)
            throw error
        }
        for listener in listeners { logger.info("answers probes and scrapes", metadata: ["operations": "\(listener.address)"]) }
        stage.withLock { [listeners] in $0 = .running(listeners, group) }
        return listeners.map(\.address)
    }

    package func run() async throws {
        try await start()
        try? await gracefulShutdown()
        await stop()
    }

    /// Stops listening and closes all connections. Idempotent.
    package func stop() async {
        let running = stage.withLock { stage -> ([OperationsListener], MultiThreadedEventLoopGroup)? in
            defer { stage = .stopped }
            guard case .running(let listeners, let group) = stage else { return nil }
            return (listeners, group)
        }
        if let (listeners, group) = running { await close(listeners, group) }
    }

    private func close(_ listeners: [OperationsListener], _ group: MultiThreadedEventLoopGroup) async {
        for listener in listeners { await listener.close() }
        connections.endAll()
        await connections.empty()
        try? await group.shutdownGracefully()
    }
}

/// The bounds on what peers of the operations address hold. Honest peers are a scraper or two, and the probes of a service manager.
package struct OperationsLimits: Hashable, Sendable {
    /// Open connections; a new one beyond it ends one of the address that has most (`ConnectionPlaces`).
    package var connections = 64
    /// The longest time without a whole request head, a handshake included.
    package var idle = Duration.seconds(30)
    /// The longest time from a request's head to the end of its answer.
    package var answer = Duration.seconds(10)
    /// The longest life of a connection. It is closed after its next answer then, so that certificates are verified once more.
    package var life = Duration.seconds(600)
    /// The longest header, all of them, in bytes, and their number. The path counts as a header.
    package var headerBytes = 8 << 10
    package var allHeaderBytes = 16 << 10
    package var headers = 64

    package init() {}
}
