package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// A server of framed RPC. `run()` ends with graceful shutdown or cancellation: GoAway to everyone, the calls in flight are
/// finished within the drain timeout, the connections and the listeners are closed.
package final class RPCServer: Service {
    private enum Stage {
        case idle
        case starting
        case running(listeners: [Listener], group: MultiThreadedEventLoopGroup)
        case stopped
    }

    private let addresses: [RPCAddress]
    private let threads: Int
    private let logger: Logger
    private let tls: ServerTLS?
    private let server: ServerState
    private let stage = Mutex(Stage.idle)

    /// - Parameters:
    ///   - addresses: where to listen; port 0 lets the kernel choose.
    ///   - threads: event loops. They only move bytes and frames; handlers run on the global executor.
    ///   - access: who may call what, and whose connections and calls are counted together.
    ///   - tls: for the addresses with TLS; without it they cannot be listened at.
    package init(
        addresses: [RPCAddress], limits: RPCLimits = RPCLimits(), methods: [RPCMethod], logger: Logger,
        threads: Int = System.coreCount, access: RPCAccess = .open, tls: ServerTLS? = nil
    ) {
        (self.addresses, self.logger, self.tls) = (addresses, logger, tls)
        self.threads = max(1, threads)
        server = ServerState(limits: limits, methods: methods, access: access, logger: logger)
    }

    package var statistics: RPCStatistics { server.statistics }

    /// Listens, and returns the addresses with the ports that were chosen. A second call returns them again.
    ///
    /// - Throws: ``RPCBindError`` for the first address that cannot be had; then no other is kept either.
    @discardableResult
    package func start() async throws -> [RPCAddress] {
        let earlier: [RPCAddress]? = try stage.withLock { stage in
            switch stage {
            case .idle: stage = .starting
            case .running(let listeners, _): return listeners.map(\.address)
            case .starting, .stopped: throw CancellationError()
            }
            return nil
        }
        if let earlier { return earlier }

        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        var listeners: [Listener] = []
        do {
            for address in addresses {
                listeners.append(try await Listener.open(address, group, server, tls))
            }
        } catch {
            stage.withLock { $0 = .stopped }
            await close(listeners, group)
            throw error
        }
        for listener in listeners { logger.info("listening", metadata: ["address": "\(listener.address)"]) }
        let isWanted = stage.withLock { [listeners] stage in
            guard case .starting = stage else { return false }
            stage = .running(listeners: listeners, group: group)
            return true
        }
        guard isWanted else {
            await close(listeners, group)
            throw CancellationError()
        }
        return listeners.map(\.address)
    }

    package func run() async throws {
        try await start()
        // Cancellation ends the wait as graceful shutdown does, and the stop that follows is the same.
        try? await gracefulShutdown()
        await stop()
    }

    /// Ends what ``start()`` began, gracefully. Takes at most the drain and linger timeouts and what closing takes. Idempotent;
    /// only the first caller waits.
    package func stop() async {
        let running = stage.withLock { stage -> ([Listener], MultiThreadedEventLoopGroup)? in
            defer { stage = .stopped }
            guard case .running(let listeners, let group) = stage else { return nil }
            return (listeners, group)
        }
        guard let (listeners, group) = running else { return }
        logger.info("stopping", metadata: ["connections": "\(server.connectionLimiter.count)"])
        await close(listeners, group)
        logger.info("stopped")
    }

    private func close(_ listeners: [Listener], _ group: MultiThreadedEventLoopGroup) async {
        for listener in listeners { await listener.close() }
        await server.connectionLimiter.empty()
        try? await group.shutdownGracefully()
    }
}
