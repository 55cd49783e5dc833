package import AssayRPC
package import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The front for framed RPC (proto/README.md). A graceful stop sends GoAway on every connection, lets the calls in flight finish
/// within the drain timeout, and closes the connections and the listeners.
package final class FramedServer: RPCFront {
    private enum Stage {
        case idle
        case starting
        case running(listeners: [Listener], group: MultiThreadedEventLoopGroup)
        case stopped
    }

    private struct State {
        var stage = Stage.idle
        /// Nil before the start and after the stop.
        var server: ServerState?
        /// What was counted until the stop.
        var counts = RPCStatistics()

        var statistics: RPCStatistics { server?.statistics ?? counts }
    }

    /// Processors that the process may use, a container's share of processor time included.
    package static var processors: Int { System.coreCount }

    private let addresses: [RPCAddress]
    private let withoutCertificates: Set<RPCAddress>
    private let limits: FramedLimits
    private let threads: Int
    private let logger: Logger
    private let tls: ServerTLS?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - addresses: where to listen; port 0 lets the kernel choose.
    ///   - threads: event loops. They only move bytes and frames; handlers run on the global executor.
    ///   - tls: for the addresses with TLS, which cannot be listened at without it.
    ///   - withoutCertificates: addresses with TLS at which clients may show no certificate.
    package init(
        addresses: [RPCAddress], limits: FramedLimits = FramedLimits(), logger: Logger, threads: Int = FramedServer.processors,
        tls: ServerTLS? = nil, withoutCertificates: Set<RPCAddress> = []
    ) {
        self.withoutCertificates = withoutCertificates
        (self.addresses, self.limits, self.logger, self.tls) = (addresses, limits, logger, tls)
        self.threads = max(1, threads)
    }

    package var statistics: RPCStatistics { state.withLock { $0.statistics } }

    @discardableResult
    package func start(serving service: RPCService) async throws -> [RPCAddress] {
        let (server, earlier) = try state.withLock { state -> (ServerState?, [RPCAddress]) in
            switch state.stage {
            case .idle:
                state.stage = .starting
                state.server = ServerState(limits: limits, service: service, logger: logger)
                return (state.server, [])
            case .running(let listeners, _): return (nil, listeners.map(\.address))
            case .starting, .stopped: throw CancellationError()
            }
        }
        guard let server else { return earlier }

        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        var listeners: [Listener] = []
        do {
            for address in addresses {
                listeners.append(
                    try await Listener.open(
                        address, group, server, tls, requiresCertificate: !withoutCertificates.contains(address)))
            }
        } catch {
            state.withLock { $0.stage = .stopped }
            await close(listeners, group, server)
            throw error
        }
        for listener in listeners { logger.info("listening", metadata: ["address": "\(listener.address)"]) }
        let isWanted = state.withLock { [listeners] state in
            guard case .starting = state.stage else { return false }
            state.stage = .running(listeners: listeners, group: group)
            return true
        }
        guard isWanted else {
            await close(listeners, group, server)
            throw CancellationError()
        }
        return listeners.map(\.address)
    }

    /// Takes at most the drain and linger timeouts, and the time that closing takes.
    package func stop() async {
        let running = state.withLock { state -> ([Listener], MultiThreadedEventLoopGroup, ServerState)? in
            defer { state.stage = .stopped }
            guard case .running(let listeners, let group) = state.stage, let server = state.server else { return nil }
            return (listeners, group, server)
        }
        guard let (listeners, group, server) = running else { return }
        logger.info("stopping", metadata: ["connections": "\(server.connectionLimiter.count)"])
        await close(listeners, group, server)
        logger.info("finished the calls in flight, and listens no more")
    }

    private func close(_ listeners: [Listener], _ group: MultiThreadedEventLoopGroup, _ server: ServerState) async {
        for listener in listeners { await listener.close() }
        await server.connectionLimiter.empty()
        try? await group.shutdownGracefully()
        // Releases the service, which may hold its fronts to report their counts.
        state.withLock { ($0.counts, $0.server) = (server.statistics, nil) }
    }
}
