import ArgumentParser
import AssayHost
import Foundation
import Logging
import ServiceLifecycle

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
        let daemon: Daemon
        let store: OpenStore
        do {
            store = try await OpenStore(configuration.store)
            daemon = try await makeDaemon(configuration, ledger: store.ledger, vault: store.vault, logger: logger)
            for address in try await daemon.server.start() {
                logger.notice("listening", metadata: ["address": "\(address)"])
            }
        } catch {
            logger.critical("cannot start", metadata: ["error": "\(error)"])
            throw ExitCode(69)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: daemon.services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
        store.close()
        logger.notice("stopped")
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
