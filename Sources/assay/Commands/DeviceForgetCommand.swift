import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct DeviceForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Delete device records permanently: claims, receipts, and their subjects.",
        discussion: """
            Deletes each record with its claims, receipt, chain serials and tie to a subject, the verdicts stored for \
            repetition, and the claims beside the device's audit records. A device that was blocked leaves its key blocked; any \
            other may register again. The audit log keeps the verdicts without claims, and records which caller forgot \
            the device, with the reason.

            On a terminal the devices are shown and the deletion must be confirmed. Without one, and in scripts, give --yes.

            Exit status 1 if there is no such device, with those named before it forgotten, or if the deletion was not \
            confirmed; 64 without a terminal and without --yes.
            """)

    /// The longest reason, in bytes.
    private static let reasonLimit = 256

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the devices belong to.")
    var app: AppID

    @Argument(help: ArgumentHelp("The devices' ids.", valueName: "dev_…"))
    var ids: [DeviceID]

    @Option(help: "The reason, for the audit log: at most 256 bytes. It cannot be deleted there, so name no person.")
    var reason: String?

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        guard (reason ?? "").utf8.count <= Self.reasonLimit else {
            throw ValidationError("--reason must have at most \(Self.reasonLimit) bytes.")
        }
    }

    func run() async throws {
        if !yes {
            guard Console.canAsk else {
                throw ValidationError(
                    "This deletes \(ids.counted("device record")) for good, and there is no terminal on which to ask. Give --yes to delete without asking."
                )
            }
            try await confirm()
        }
        try await server.with { client throws(AssayError) in
            for id in ids {
                let answer = try await client.forget(id, app: app, reason: reason ?? "", timeout: server.limit)
                if json {
                    let object: [String: Any] = [
                        "device_id": id.description, "key_stays_blocked": answer.keyStaysBlocked,
                    ]
                    Console.print(json: object, pretty: false)
                } else {
                    Console.print("\(id) forgotten" + (answer.keyStaysBlocked ? "; its key stays blocked" : ""))
                }
            }
        }
    }

    /// Shows what will be deleted, and throws unless the operator confirms.
    private func confirm() async throws {
        let devices = try await server.with { client throws(AssayError) in
            var devices: [Assay_V1_Device] = []
            for id in ids { devices.append(try await client.device(id, app: app, timeout: server.limit)) }
            return devices
        }
        Console.say("This deletes for good, of app \(app):")
        for device in devices { device.deletionLines.forEach(Console.say) }
        Console.say(
            "with the verdicts stored for repetition and the claims beside their audit records. The audit log keeps that there")
        Console.say("were verdicts, and records that you forgot \(ids.count == 1 ? "the device" : "the devices").")
        guard Console.confirms("Forget \(ids.counted("device record"))?") else {
            throw Console.failure("not_confirmed", "nothing was forgotten")
        }
    }
}

extension [DeviceID] {
    /// `1 device`, `2 devices`.
    fileprivate func counted(_ noun: String) -> String { "\(count) \(noun)" + (count == 1 ? "" : "s") }
}

extension Assay_V1_Device {
    /// What forgetting the device deletes.
    fileprivate var deletionLines: [String] {
        var parts = ["\(claims.count) claims"]
        if receiptLength > 0 { parts.append("its receipt") }
        if !chainSerials.isEmpty { parts.append("\(chainSerials.count) chain serials") }
        if hasSubject_p { parts.append("its tie to a subject") }
        return [
            row,
            "    \(format), registered \(Timestamp(unixMilliseconds: registeredAtUnixMs)): " + parts.joined(separator: ", "),
            state == .blocked ? "    blocked: its key stays blocked" : "    not blocked: its key may register again",
        ]
    }
}
