import ServiceLifecycle
import Synchronization

/// One service behind a list of fronts, which start and stop together. `run()` ends with graceful shutdown or cancellation; both
/// stop the fronts gracefully.
package final class RPCServer: Service {
    private let service: RPCService
    private let fronts: [any RPCFront]
    private let stopping: @Sendable () -> Void
    private let phase = Mutex(Phase.notStarted)

    /// How far the server is, for those who ask whether it may be sent calls.
    package enum Phase: Sendable { case notStarted, serving, stopping }

    /// - Parameter stopping: called when the server begins to stop, before its fronts do: what would keep calls open ends them.
    package init(_ service: RPCService, fronts: [any RPCFront], stopping: @escaping @Sendable () -> Void = {}) {
        (self.service, self.fronts, self.stopping) = (service, fronts, stopping)
    }

    package var currentPhase: Phase { phase.withLock { $0 } }

    package var statistics: RPCStatistics { service.state.statistics(with: fronts) }

    /// Starts the fronts, and returns their addresses in order, with the ports that the kernel chose. A second call returns them
    /// again.
    ///
    /// - Throws: what the first front that cannot start throws; then no front is left running.
    @discardableResult
    package func start() async throws -> [RPCAddress] {
        var addresses: [RPCAddress] = []
        do {
            for front in fronts { addresses += try await front.start(serving: service) }
        } catch {
            await stop()
            throw error
        }
        phase.withLock { phase in if phase == .notStarted { phase = .serving } }
        return addresses
    }

    package func run() async throws {
        try await start()
        // Cancellation ends the wait as graceful shutdown does, and the same stop follows.
        try? await gracefulShutdown()
        await stop()
    }

    /// Stops all fronts at once, gracefully, and returns when the last one has stopped. Idempotent; only the first caller waits.
    package func stop() async {
        phase.withLock { $0 = .stopping }
        stopping()
        await withDiscardingTaskGroup { group in
            for front in fronts { group.addTask { await front.stop() } }
        }
    }
}
