import ArgumentParser
import AssayCommandLine
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayRPC
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Try it out: a daemon with virtual devices, of which nothing stays.",
        discussion: """
            Starts a daemon on loopback, for callers on this machine, over HTTP and the framed protocol. Its configuration, its ledger \
            and a CA are in a temporary folder, with two virtual iPhones, an Android device and a camera. Prints three lines to paste \
            into another terminal, and then the log, until Ctrl-C, which removes the folder.

            It never starts where a configuration for real devices is: ./assayd.yaml and \(usualConfiguration) may only have apps \
            that accept simulated devices, or be the package's sample as it was installed.

            Exit status: 0 stopped as asked; 64 wrong usage; 69 it could not start; 78 there is a configuration for real devices.
            """)

    @Option(
        help: ArgumentHelp(
            "The port of the framed protocol; HTTP has the next one. 0: free ones. Default: \(DevPorts.usual.framed) and "
                + "\(DevPorts.usual.http), or free ones if another process has them.", valueName: "number"))
    var port: UInt16?

    @Option(help: ArgumentHelp("How much is logged; debug has a line for each verdict.", valueName: "level"))
    var logLevel: Logger.Level = .debug

    @Option(name: [.long, .customShort("c")], help: .hidden)
    var config: String?

    func validate() throws {
        guard let port else { return }
        guard port == 0 || (1024..<UInt16.max).contains(port) else {
            throw ValidationError("--port is 0, or from 1024 to 65534: HTTP has the next one.")
        }
    }

    func run() async throws {
        try RealConfiguration.refuse(named: config)
        guard config == nil else {
            throw ValidationError(
                "'assayd dev' makes its own configuration. To run a daemon with a file: assayd --config FILE.")
        }
        // Trapped before there is a folder: whenever a signal comes, the folder is removed.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        do {
            let folder = try DevFolder()
            defer { folder.remove() }
            try await serve(folder, until: signals)
            try? FileHandle.standardOutput.write(contentsOf: Data("\nstopped; \(folder.path) is removed\n".utf8))
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("unavailable", "\(error)", exitStatus: StartupError.unavailable)
        }
    }

    private func serve(_ folder: DevFolder, until signals: UnixSignalsSequence) async throws {
        // The log follows what is to be pasted.
        let log = DaemonLog(LogSettings(level: .error))
        LoggingSystem.bootstrap { _ in log.handler }
        let logger = log.makeLogger("assayd")
        try await folder.fill()
        let configuration = try folder.configuration(at: port)
        try await TemporaryDaemon.run(configuration, logger: logger, until: signals) { daemon, store in
            let session = try DevSession(folder: folder, ledger: store.ledger) { [logLevel] ports in
                log.set(LogSettings(level: logLevel))
                logger.info("listening", metadata: ["address": "tcp:\(ports.server)", "protocol": "framed"])
                logger.info("listening", metadata: ["address": "\(ports.url)", "protocol": "http"])
            }
            return .init(named: DevServer(daemon: daemon, session: session))
        }
    }
}

/// Runs the server, and beside it what uses the devices.
private struct DevServer: Service {
    let daemon: Daemon
    let session: DevSession

    func run() async throws {
        let addresses = try await daemon.start()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [daemon] in try await daemon.server.run() }
            group.addTask { [session] in try await session.run(at: try DevPorts(addresses)) }
            // A failure of one ends the other.
            for try await _ in group {}
        }
    }
}
