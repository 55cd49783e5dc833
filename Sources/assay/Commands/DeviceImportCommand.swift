import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct DeviceImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Register devices that were attested elsewhere.",
        discussion: """
            The file has one JSON object a line; '-' is standard input. Empty lines are skipped.

              {"public_key": "BAz4…", "app_id": "TEAMID1234.com.example.app",
               "environment": "production", "counter": 41, "subject": "account-17"}

            public_key   the P-256 key in Base64: its point of 65 bytes or its
                         SubjectPublicKeyInfo; or PEM
            app_id       App ID prefix, a dot, bundle identifier: one of the app's
            environment  production or development
            counter      the highest counter that was accepted; none up to it will be
            key_id       optional: App Attest's key id in Base64, which must be the
                         digest of the key
            subject      optional: the account or user

            The app has to accept imported devices (accept_imported in the daemon's configuration). Run it again after an \
            interruption: what is on record is passed over. What went wrong is told with its line on standard error.

            Exit status 0 if all devices are on record; 1 if some are in conflict with a record or were refused; 65 if some \
            lines cannot be read; 69 if the daemon became unavailable, with the rest still to be done; 78 if the app does \
            not accept imported devices.
            """)

    /// Devices in one request: together far below the smallest frame limit that a daemon accepts.
    private static let batchSize = 50

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the devices belong to.")
    var app: AppID

    @Argument(help: "The file, or '-'.")
    var file: FileArgument

    @Flag(help: "Print the counts as a JSON object.")
    var json = false

    func run() async throws {
        let source = try ImportFile(file)
        var tally = ImportTally(file: file.path)
        do {
            try await server.with { client throws(AssayError) in
                while let lines = source.next(Self.batchSize) {
                    let devices = lines.compactMap { tally.readable($0) }
                    if !devices.isEmpty {
                        let results = try await client.importDevices(
                            devices.map(\.message), app: app, timeout: server.limit)
                        tally.count(results, of: devices)
                    }
                    tally.showProgress()
                }
            }
        } catch {
            tally.endProgress()
            // A repetition does not help a call that is not permitted.
            let isOver = (error as? ExitCode)?.rawValue == AssayError.unavailableStatus
            Console.error("stopped after \(tally.sentence)" + (isOver ? "; run it again to go on" : ""))
            throw error
        }
        tally.endProgress()
        if json { Console.print(json: tally.json) } else { Console.print(tally.sentence) }
        if let problem = source.problem { throw Console.unreadable("\(file.path): \(problem)") }
        guard tally.exitStatus == 0 else { throw ExitCode(tally.exitStatus) }
    }
}
