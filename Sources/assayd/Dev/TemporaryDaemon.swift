import AssayConfiguration
import AssayCore
import AssayDaemon
import Logging
import ServiceLifecycle
import UnixSignals

/// A daemon over a temporary folder, for as long as a command runs.
enum TemporaryDaemon {
    typealias Serving = ServiceGroupConfiguration.ServiceConfiguration

    /// Runs until a signal comes, or the server ends.
    ///
    /// - Parameter server: what runs the daemon's server, and beside it what uses it.
    static func run(
        _ configuration: Configuration, logger: Logger, until signals: UnixSignalsSequence,
        server: (Daemon, OpenStore) throws -> Serving
    ) async throws {
        let store = try await OpenStore(configuration.fixed.store, logger: logger)
        defer { store.close() }
        let records = VerdictRecordPlace(configuration.live.verdicts, logger: logger)
        defer { records.store.close() }
        let daemon = try await makeDaemon(
            configuration, ledger: store.ledger, vault: store.vault, records: records, logger: logger)
        let ending = Serving(named: EndAtSignal(signals: signals), successTerminationBehavior: .gracefullyShutdownGroup)
        let services = [ending] + daemon.backgroundServices.map { Serving(named: $0) } + [try server(daemon, store)]
        // What the group says of its services is of no use here.
        var quiet = logger
        quiet.logLevel = .error
        try await ServiceGroup(configuration: ServiceGroupConfiguration(services: services, logger: quiet)).run()
    }
}

/// Ends at the first signal, or when another service has ended the group.
private struct EndAtSignal: Service {
    let signals: UnixSignalsSequence

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() { return }
    }
}
