import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Manage the device records.",
        discussion: """
            A record is one attested key of one app. It is named by its id (dev_…), which each verdict contains, by the \
            platform's key id, or, for a device of a fleet, by its serial number. The caller needs the role 'devices'.
            """,
        subcommands: [
            DeviceGetCommand.self, DeviceListCommand.self, DeviceBlockCommand.self, DeviceUnblockCommand.self,
            DeviceBlocksCommand.self, DeviceFlagCommand.self, DeviceUnflagCommand.self, DeviceForgetCommand.self,
            DeviceImportCommand.self,
        ],
        defaultSubcommand: DeviceGetCommand.self)

    static let serialHelp = ArgumentHelp(
        "The serial number of a fleet's device, as it was provisioned.", valueName: "serial")
}

struct DeviceGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show a device record.",
        discussion: """
            The device is named by its id (dev_…); with --key-id by the platform's key id; or with --serial by the serial number under \
            which it was provisioned. A device that replaced another has the serial number alone.

            Exit status 1 if there is no such device.

            Example:
              assay device get --app cameras --serial CAM-0042
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the device belongs to.")
    var app: AppID

    @Argument(help: ArgumentHelp("The device's id.", valueName: "dev_…"))
    var id: DeviceID?

    @Option(parsing: .unconditional, help: ArgumentHelp("The platform's key id.", valueName: "bytes"))
    var keyID: BytesArgument?

    @Option(help: DeviceCommand.serialHelp)
    var serial: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard [id != nil, keyID != nil, serial != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of a device id, --key-id and --serial.")
        }
        if serial?.isEmpty == true { throw ValidationError("--serial must not be empty.") }
    }

    func run() async throws {
        let device = try await server.with { client throws(AssayError) in
            if let id { return try await client.device(id, app: app, timeout: server.limit) }
            if let serial { return try await client.device(serial: serial, app: app, timeout: server.limit) }
            return try await client.device(keyID: keyID?.bytes(wanting: 32) ?? [], app: app, timeout: server.limit)
        }
        if json { Console.print(json: device.json) } else { device.lines.forEach(Console.print) }
    }
}

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
    var subject: String?

    @Option(help: "Only devices in this state.")
    var state: State?

    @Option(help: ArgumentHelp("Only the device that was provisioned under this serial number.", valueName: "serial"))
    var serial: String?

    @Option(help: ArgumentHelp("Only devices on which this flag stands, such as counter_gap.", valueName: "name"))
    var flag: String?

    @Flag(
        help:
            "Only devices whose next evidence would be refused: under today's policy, anchors and revocation list, or for want of a good certificate."
    )
    var noLongerGood = false

    @Option(help: ArgumentHelp("Stop after this many devices.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
        if let subject, subject.isEmpty { throw ValidationError("--subject must not be empty.") }
        if let serial, serial.isEmpty { throw ValidationError("--serial must not be empty.") }
        if let flag, !DeviceFlag.isName(flag) { throw ValidationError("--flag must be a name of the form [a-z0-9_]{1,32}.") }
    }

    func run() async throws {
        let shown = try await server.with { client throws(AssayError) in
            try await PageReader.show(limit) { token throws(AssayError) in
                let page = try await client.devices(
                    app: app, subject: Array((subject ?? "").utf8), state: state?.message ?? .unspecified,
                    serial: serial ?? "", flag: flag ?? "", pageToken: token, timeout: server.limit)
                return (noLongerGood ? page.devices.filter(\.hasNoLongerGood) : page.devices, page.nextPageToken)
            } each: {
                show($0)
            }
        }
        if shown == 0 {
            Console.sayEmpty("no device of the app \(app) is on record\(isFiltered ? " that is as asked for" : "")")
        }
    }

    private var isFiltered: Bool { subject != nil || state != nil || serial != nil || flag != nil || noLongerGood }

    private func show(_ device: Assay_V1_Device) {
        if json { Console.print(json: device.json, pretty: false) } else { Console.print(device.row) }
    }
}
