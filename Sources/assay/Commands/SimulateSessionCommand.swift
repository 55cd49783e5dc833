import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator

struct SimulateSessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Run a virtual phone's life against a daemon: register, upload, and be attacked.",
        discussion: """
            Registers the phone's key, sends uploads, then replays and forges what was sent. Prints each verdict beside what it \
            had to be. Exit status 1 if one was another.
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
        for step in steps { step.show(json: json) }
        let failed = steps.count { !$0.isAsExpected }
        if !json { Console.print("\(steps.count - failed) of \(steps.count) verdicts are as they have to be") }
        guard failed == 0 else { throw ExitCode(1) }
    }
}
