import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List an app's devices, in the order in which they were registered.",
        discussion: "Claims and public keys are left out; 'assay device get' shows them.")

    enum State: String, CaseIterable, ExpressibleByArgument {
        case active, blocked

        fileprivate var message: Assay_V1_Device.State {
            switch self {
            case .active: .active
            case .blocked: .blocked
            }
        }
    }

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the devices belong to.")
    var app: AppID

    @Option(help: "Only devices registered for this account or user.")
    var subject: String = ""

    @Option(help: "Only devices in this state.")
    var state: State?

    @Option(help: ArgumentHelp("Stop after this many devices.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        try await server.with { client throws(AssayError) in
            try await PageReader.show(limit) { token throws(AssayError) in
                let page = try await client.devices(
                    app: app, subject: Array(subject.utf8), state: state?.message ?? .unspecified, pageToken: token,
                    timeout: server.limit)
                return (page.devices, page.nextPageToken)
            } each: {
                show($0)
            }
        }
    }

    private func show(_ device: Assay_V1_Device) {
        if json { Console.print(json: device.json, pretty: false) } else { Console.print(device.row) }
    }
}
