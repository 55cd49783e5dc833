public import ArgumentParser
import AssayHost
import Foundation
public import Logging
import ServiceLifecycle
import UnixSignals

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the daemon until SIGTERM or SIGINT.")

    @Option(name: .shortAndLong, help: "The configuration, YAML.")
    var config: String

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .info

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "assayd")
        logger.logLevel = logLevel
        let configuration = try Configuration.orExplain(config)
        for warning in configuration.warnings { logger.warning("\(warning)") }
        do {
            let store = try await OpenStore(configuration.store)
            defer { store.close() }
            let daemon = try await makeDaemon(configuration, ledger: store.ledger, vault: store.vault, logger: logger)
            // The group listens to signals before the server listens to anybody: whoever sees it listening can stop it.
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [ReloadOnHangup { daemon.reloadTLS() }] + daemon.services,
                    gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
            try await group.run()
        } catch {
            logger.critical("cannot run", metadata: ["error": "\(error)"])
            throw ExitCode(69)
        }
        logger.notice("stopped")
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
