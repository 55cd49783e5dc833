import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

/// A flag of a device.
struct FlagOptions: ParsableArguments {
    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the device belongs to.")
    var app: AppID

    @Argument(help: ArgumentHelp("The device's id.", valueName: "dev_…"))
    var id: DeviceID

    @Argument(help: ArgumentHelp("The flag's name, [a-z0-9_]{1,32}, such as counter_gap.", valueName: "flag"))
    var name: String

    @Option(
        help:
            "The reason, for other operators and the audit log: at most 256 bytes. It cannot be deleted there, so name no person."
    )
    var reason: String = ""

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard DeviceFlag.isName(name) else { throw ValidationError("The name of a flag is of the form [a-z0-9_]{1,32}.") }
        guard reason.utf8.count <= DeviceFlag.detailLimit else {
            throw ValidationError("--reason must have at most \(DeviceFlag.detailLimit) bytes.")
        }
    }
}

struct DeviceFlagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flag", abstract: "Set a flag on a device, until a time.",
        discussion: """
            A flag blocks nothing: verdicts about the device have the note device_flagged, and the app's policy rejects its evidence \
            if it names the flag (device.flags.reject). Flagging again replaces your reason and end. A plugin's flag of the same \
            name stands beside yours.

            Exit status 1 if there is no such device, or if eight other flags stand on it.

            Example:
              assay device flag --app photos dev_… farm --reason "case 12" --expires 30d
            """)

    @OptionGroup var options: FlagOptions

    @Option(
        help: ArgumentHelp(
            "When the flag ends: after a time such as 30d, or at one such as 2027-01-31T00:00:00Z, within 400 days. Default: after 400 days.",
            valueName: "time"))
    var expires: ExpiryArgument?

    func run() async throws {
        let end = expires?.time(from: SystemClock().now())
        let answer = try await options.server.with { client throws(AssayError) in
            try await client.flag(
                options.id, options.name, app: options.app, reason: options.reason, until: end, timeout: options.server.limit)
        }
        let until = Timestamp(unixMilliseconds: answer.untilUnixMs).description
        if options.json {
            Console.print(
                json: [
                    "device_id": options.id.description, "flag": options.name, "was_flagged": answer.wasFlagged,
                    "until": until,
                ])
        } else {
            Console.print((answer.wasFlagged ? "still flagged" : "flagged") + ": \(options.name) until \(until)")
        }
    }
}

struct DeviceUnflagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unflag", abstract: "Clear a flag of a device, whether a plugin or a caller set it.",
        discussion: """
            Clears every flag of the name on the device. A plugin that finds the same again may set its flag again.

            Exit status 1 if no such flag stood on the device, or if there is no such device.
            """)

    @OptionGroup var options: FlagOptions

    func run() async throws {
        let answer = try await options.server.with { client throws(AssayError) in
            try await client.unflag(
                options.id, options.name, app: options.app, reason: options.reason, timeout: options.server.limit)
        }
        if options.json {
            Console.print(
                json: [
                    "device_id": options.id.description, "flag": options.name, "was_flagged": answer.wasFlagged,
                ])
        }
        guard answer.wasFlagged else { throw Console.failure("no_such_flag", "no such flag stood on the device") }
        if !options.json { Console.print("unflagged: \(options.name)") }
    }
}
