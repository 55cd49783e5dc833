import ArgumentParser
import AssayCommandLine
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayEvidenceCases
import AssayRPC
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

struct TestServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-server",
        abstract: "For tests of services that call Assay: a daemon, and evidence of virtual devices for every case.",
        discussion: """
            Starts a daemon on loopback at ports that are free, with an app of virtual devices, and prints one line of JSON once it \
            listens: {"ready": {"url": …}}. Each line on standard input asks for the evidence of a case ('replayed', 'device_blocked', \
            or any other reason code), and gets a line with a request and the outcome that a verdict on it has. It ends when standard \
            input does, so that no test leaves it behind; its temporary folder is removed. \(Documentation.page("start/test-your-handler.md")) has the members, \
            and libraries for Python, Node.js and Java that start it.

            It does not start on a machine that has a configuration for real devices in \(usualConfiguration).

            Exit status: 0 standard input has ended; 64 wrong usage; 69 it could not start; 78 there is a configuration for real devices.
            """)

    @Option(help: ArgumentHelp("The name of the app, as your service names it.", valueName: "name"))
    var app = "photos"

    @Option(help: ArgumentHelp("How much is logged to standard error; debug has a line for each verdict.", valueName: "level"))
    var logLevel: Logger.Level = .warning

    func run() async throws {
        guard let app = AppID(app) else { throw ValidationError("--app is the name of an app: [a-z0-9._-]{1,64}.") }
        // Beside the file of the machine's own daemon only: a test runs in its project, where a file for production may lie.
        try RealConfiguration.refuse(named: nil, usual: [usualConfiguration])
        // A test that ended reads no replies. What is written then fails, and the folder is removed.
        signal(SIGPIPE, SIG_IGN)
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        do {
            let folder = try TestServerFolder(app: app)
            defer { folder.remove() }
            try await serve(folder, until: signals)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("unavailable", "\(error)", exitStatus: StartupError.unavailable)
        }
    }

    private func serve(_ folder: TestServerFolder, until signals: UnixSignalsSequence) async throws {
        let log = DaemonLog(LogSettings(level: logLevel))
        LoggingSystem.bootstrap { _ in log.handler }
        let logger = log.makeLogger("assayd")
        try await TemporaryDaemon.run(try folder.configuration(), logger: logger, until: signals) { daemon, _ in
            .init(
                named: TestedServer(daemon: daemon, policy: folder.policy),
                successTerminationBehavior: .gracefullyShutdownGroup)
        }
    }
}

/// Runs the server, and beside it the dialogue with the test; ends when the dialogue does.
private struct TestedServer: Service {
    let daemon: Daemon
    let policy: CasePolicy

    func run() async throws {
        let ports = try DevPorts(try await daemon.start())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [daemon] in try await daemon.server.run() }
            group.addTask { [policy] in try await TestDialogue(policy: policy).run(at: ports) }
            // The end of one ends the other: a server that is cancelled stops.
            try await group.next()
            group.cancelAll()
        }
    }
}
