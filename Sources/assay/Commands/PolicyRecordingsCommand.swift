import ArgumentParser
import AssayClient
import AssayCore

struct PolicyRecordingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recordings", abstract: "Delete what the daemon records of verdicts.",
        discussion: """
            Apps with a section 'record' keep what verdicts went by, for 'assay policy replay'. It is dropped by age and size, and with its \
            device ('assay device forget').
            """,
        subcommands: [PolicyRecordingsDeleteCommand.self])
}

struct PolicyRecordingsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete what is recorded of a device.",
        discussion: """
            The device stays registered. With --evidence the kept evidence alone is deleted, with its key: claims and findings stay. The caller \
            needs the role 'operate' or 'devices'.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The app of the device.")
    var app: AppID

    @Option(help: ArgumentHelp("The device.", valueName: "dev_…"))
    var device: DeviceID

    @Flag(help: "Delete the kept evidence alone.")
    var evidence = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let count = try await server.with { client throws(AssayError) in
            try await client.deleteRecordings(of: device, app: app, evidenceOnly: evidence, timeout: server.limit)
        }
        if json {
            Console.print(json: ["deleted": Int64(count), "device": "\(device)"])
        } else {
            Console.print(
                "deleted \(evidence ? "the evidence of " : "")\(count) recording\(count == 1 ? "" : "s") of \(device)")
        }
    }
}
