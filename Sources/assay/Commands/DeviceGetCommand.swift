import ArgumentParser
import AssayClient
import AssayCore

struct DeviceGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show a device record.",
        discussion: """
            The device is named by its id (dev_…) or, with --key-id, by the platform's key id.

            Exit status 1 if there is no such device.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the device belongs to.")
    var app: AppID

    @Argument(help: ArgumentHelp("The device's id.", valueName: "dev_…"))
    var id: DeviceID?

    @Option(parsing: .unconditional, help: ArgumentHelp("The platform's key id.", valueName: "bytes"))
    var keyID: BytesArgument?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (id == nil) != (keyID == nil) else { throw ValidationError("Give either a device id or --key-id.") }
    }

    func run() async throws {
        let device = try await server.with { client throws(AssayError) in
            if let id { return try await client.device(id, app: app, timeout: server.limit) }
            return try await client.device(keyID: keyID?.bytes(wanting: 32) ?? [], app: app, timeout: server.limit)
        }
        if json { Console.print(json: device.json) } else { device.lines.forEach(Console.print) }
    }
}
