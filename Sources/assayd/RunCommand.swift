public import ArgumentParser
public import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayMetrics
import AssayPlugins
import AssaySchemes
import CoreMetrics
import Foundation
public import Logging
import ServiceLifecycle
import UnixSignals

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the daemon until SIGTERM or SIGINT.",
        discussion: "SIGHUP reloads the configuration; a file with errors changes nothing, and the log gives the reason.")

    @Option(name: .shortAndLong, help: "The configuration, YAML.")
    var config: String

    @Option(help: "trace, debug, info, notice, warning, error or critical. Default: the configuration's.")
    var logLevel: Logger.Level?

    @Option(help: "text or json. Default: the configuration's.")
    var logFormat: LogSettings.Format?

    @Flag(help: "Start although the clock seems to be wrong.")
    var acceptClock = false

    @Flag(help: "Start with an empty ledger although its key file exists; for the first start of a new one.")
    var acceptNewLedger = false

    @Flag(help: "Start although other users may use the ledger's file; its mode becomes 0600.")
    var acceptLedgerMode = false

    func run() async throws {
        // Before the first secret is read: plugins have the same user, where the daemon does not run as root.
        forbidDumps()
        let configuration = try Configuration.orExplain(config)
        let log = DaemonLog(overridden(configuration.live.log))
        LoggingSystem.bootstrap { _ in log.handler }
        let logger = log.makeLogger("assayd")
        logger.notice(
            "starting",
            metadata: ["version": "\(Version.text)", "config": "\(config)", "digest": "\(configuration.live.digestText)"])
        for finding in configuration.warnings + configuration.machineFindings() {
            logger.log(
                level: finding.severity == .note ? .info : .warning, "\(finding)",
                metadata: ["code": "\(finding.code.rawValue)"])
        }
        if let warning = DescriptorLimit.raise(for: configuration.fixed) { logger.warning("\(warning)") }
        do {
            var exceptions = OpenStore.Exceptions()
            (exceptions.newLedger, exceptions.ledgerMode) = (acceptNewLedger, acceptLedgerMode)
            let store = try await OpenStore(configuration.fixed.store, accepting: exceptions, logger: logger)
            defer { store.close() }
            if !acceptClock { try await store.checkClock() }
            let records = VerdictRecordPlace(configuration.live.verdicts, logger: logger)
            defer { records.store.close() }
            let libraryMetrics = LibraryMetrics()
            MetricsSystem.bootstrap(libraryMetrics)
            let daemon = try await makeDaemon(
                configuration, ledger: store.ledger, vault: store.vault, records: records, libraryMetrics: libraryMetrics,
                logger: logger)
            let reloader = Reloader(
                running: configuration.fixed, read: { [config] in try Configuration.load(config) },
                steps: daemon.reloadSteps + [log.reloadStep { overridden($0) }], problem: daemon.reloadProblem,
                changes: daemon.changes,
                logger: logger)
            daemon.plugins.reloads { await reloader.reload(by: $0) }
            let manager = ServiceManager()
            // Signal handlers are installed before the server listens: a process that sees it listening can stop or reload it.
            let hangups = await UnixSignalsSequence(trapping: .sighup)
            let services: [any Service] =
                [ReloadOnHangup(hangups: hangups, reloader: reloader, manager: manager)]
                + daemon.backgroundServices + [AnnouncedServer(daemon, manager: manager)]
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: services.map { .init(named: $0) }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
            try await group.run()
        } catch {
            logger.critical("cannot run", metadata: ["error": "\(error)"])
            throw ExitCode((error as? StartupError)?.exitStatus ?? StartupError.unavailable)
        }
        logger.notice("stopped")
    }

    /// The file's settings, overridden by the command line.
    private func overridden(_ settings: LogSettings) -> LogSettings {
        LogSettings(level: logLevel ?? settings.level, format: logFormat ?? settings.format)
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
extension LogSettings.Format: ExpressibleByArgument {}

/// Reloads the configuration at each SIGHUP.
struct ReloadOnHangup: Service {
    let hangups: UnixSignalsSequence
    let reloader: Reloader
    let manager: ServiceManager

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in hangups {
                let problem = await reloader.reload()
                manager.status(problem.map { "configuration refused: \($0)" } ?? "configuration loaded")
            }
        }
    }
}
