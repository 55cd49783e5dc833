import ServiceLifecycle
import UnixSignals

/// Reads again, at each SIGHUP, what may change while the daemon runs.
struct ReloadOnHangup: Service {
    let reload: @Sendable () async -> Void

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() { await reload() }
    }
}
