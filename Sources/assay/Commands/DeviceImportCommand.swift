import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import Foundation

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
            Console.note("stopped after \(tally.sentence)" + (isOver ? "; run it again to go on" : ""))
            throw error
        }
        tally.endProgress()
        if json { Console.print(json: tally.json) } else { Console.print(tally.sentence) }
        if let problem = source.problem { throw Console.unreadable("\(file.path): \(problem)") }
        guard tally.exitStatus == 0 else { throw ExitCode(tally.exitStatus) }
    }
}

/// The results of the lines of an import file so far.
struct ImportTally {
    let file: String
    private(set) var added = 0
    private(set) var present = 0
    private(set) var conflicts = 0
    private(set) var refused = 0
    private(set) var unreadable = 0
    /// Whether standard error is a terminal.
    private let isWatched = isatty(STDERR_FILENO) != 0
    private var showsProgress = false

    init(file: String) { self.file = file == "-" ? "standard input" : file }

    /// The device of a line; an unreadable line is reported and counted.
    mutating func readable(_ line: ImportFile.Line) -> ImportLine? {
        do throws(ImportError) {
            return try ImportLine(line)
        } catch {
            unreadable += 1
            tell(line.number, error.text)
            return nil
        }
    }

    mutating func count(_ results: [Assay_V1_ImportDevicesResponse.Result], of lines: [ImportLine]) {
        for (line, result) in zip(lines, results) {
            switch result.outcome {
            case .added: added += 1
            case .present: present += 1
            case .conflict:
                conflicts += 1
                let device = DeviceID(bytes: Array(result.deviceID))?.description ?? "another device"
                tell(line.number, "conflict: \(device) has the key and says something else")
            case .refused, .unspecified, .UNRECOGNIZED:
                refused += 1
                tell(line.number, "refused: \(result.reason): \(result.detail.printable)")
            }
        }
    }

    private mutating func tell(_ number: Int, _ problem: String) {
        endProgress()
        Console.note("\(file):\(number): \(problem)")
    }

    var sentence: String {
        "\(added) added, \(present) already there, \(conflicts) in conflict, \(refused) refused, \(unreadable) unreadable"
    }

    var json: [String: Any] {
        [
            "added": added, "present": present, "conflicts": conflicts, "refused": refused, "unreadable": unreadable,
        ]
    }

    var exitStatus: Int32 { unreadable > 0 ? 65 : conflicts + refused > 0 ? 1 : 0 }

    // MARK: Progress

    /// Overwrites the previous progress line, on a terminal.
    mutating func showProgress() {
        guard isWatched else { return }
        FileHandle.standardError.write(Data("\r\(file): \(sentence)".utf8))
        showsProgress = true
    }

    mutating func endProgress() {
        if showsProgress { FileHandle.standardError.write(Data("\n".utf8)) }
        showsProgress = false
    }
}
