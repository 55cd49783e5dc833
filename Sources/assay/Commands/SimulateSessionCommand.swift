import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator

struct SimulateSessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Run a session of a virtual phone against a daemon: register, upload, and attack.",
        discussion: """
            Registers the phone's key, sends uploads, then replays and forges what was sent. Prints each verdict, and \
            the expected one if it differs. Exit status 1 if a verdict differs.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: "The folder of the virtual phone.")
    var folder: String

    @Option(help: "The app, as the daemon's configuration names it.")
    var app: AppID

    @Flag(help: "Print one JSON object a step.")
    var json = false

    func run() async throws {
        let home = PhoneFolder(path: folder)
        var session = SimulatedSession(key: try home.readKey(), app: app, timeout: server.limit)
        let steps: [SessionStep]
        do {
            steps = try await server.with { client throws(AssayError) in try await session.run(client) }
        } catch {
            try home.save(session.key)
            throw error
        }
        try home.save(session.key)
        try steps.show(json: json)
    }
}
