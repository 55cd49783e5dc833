import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct DeviceForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove device records: claims, receipts, and whom they belong to.",
        discussion: """
            A device that was blocked leaves its key blocked; any other may register again. The audit log keeps that there \
            were verdicts, without claims.

            Exit status 1 if there is no such device; those named before it are forgotten.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the devices belong to.")
    var app: AppID

    @Argument(help: ArgumentHelp("The devices' ids.", valueName: "dev_…"))
    var ids: [DeviceID]

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        try await server.with { client throws(AssayError) in
            for id in ids {
                let answer = try await client.forget(id, app: app, timeout: server.limit)
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
}
