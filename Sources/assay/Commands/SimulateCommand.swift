public import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
public import AssaySimulator
import AssayVirtualDevices

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "A virtual iPhone, Android device or camera: genuine format.",
        discussion: """
            The device lives in a folder. An iPhone or Android device has a test authority, a key, and an iPhone's counter. A daemon \
            accepts it only if its configuration names the authority's root (trust.test_roots) and the app says accept_simulated: \
            true; every verdict says 'simulated'. A camera has a key, for which the daemon issues the certificate.
            """,
        subcommands: [
            SimulatePhoneCommand.self, SimulateAttestCommand.self, SimulateAssertCommand.self, SimulateSessionCommand.self,
            SimulateAndroidCommand.self, SimulateCameraCommand.self,
        ])
}

struct SimulatePhoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone", abstract: "Make a virtual phone with a new key.",
        discussion: "An authority that is in the folder already is kept; its root is in root.pem.")

    @Argument(help: "The folder to keep it in.")
    var folder: String

    @Option(help: ArgumentHelp("Prefix and bundle identifier.", valueName: "PREFIX.bundle.id"))
    var appID: String

    @Option(help: "production or development.")
    var environment: VirtualPhone.Environment = .production

    @Option(help: "iOS or macOS.")
    var platform: VirtualPhone.Platform = .iOS

    @Option(help: "From 27 on, the phone reports validation category and bundle version.")
    var osVersion: String = "27.0"

    func validate() throws {
        guard let dot = appID.firstIndex(of: "."), dot != appID.startIndex, appID.last != "." else {
            throw ValidationError("--app-id is a prefix, a dot and a bundle identifier, such as TEAMID1234.com.example.app.")
        }
    }

    func run() throws {
        let home = PhoneFolder(path: folder)
        let key = try home.make { authority in
            VirtualPhone(
                authority: authority, appID: appID, environment: environment, platform: platform, osVersion: osVersion)
        }
        Console.print("key id  \(Base64.standard.encode(key.keyID))")
        Console.print("root    \(home.rootPath)")
    }
}

extension VirtualPhone.Environment: ExpressibleByArgument {}
extension VirtualPhone.Platform: ExpressibleByArgument {}

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
