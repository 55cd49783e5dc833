import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import Foundation

struct EnrolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol", abstract: "Manage which devices of a fleet may be provisioned.",
        discussion: """
            A device is provisioned if its serial number is on the app's allow-list, or with a one-time token. Each permission serves \
            one device. A device that was provisioned before is provisioned again after it was readmitted. The caller needs the role \
            'enrol'.
            """,
        subcommands: [EnrolAddCommand.self, EnrolReadmitCommand.self, EnrolRemoveCommand.self, EnrolListCommand.self],
        defaultSubcommand: EnrolListCommand.self)
}

struct EnrolAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add serial numbers to the allow-list, or make one-time tokens.",
        discussion: """
            Tokens are printed once, one a line, and kept as digests. Serial numbers that are on the list already, used, expired or \
            not, are named and stay as they are: 'assay enrol remove' comes before another end or family. In a file of serial numbers \
            empty lines and lines that begin with # are left out. --dry-run asks the daemon what would be added, adds nothing, and \
            shows the lines that look odd: with white space or separators, in another form than most, or twice but for capital letters.

            Example:
              assay enrol add --app cameras --serials factory-run-7.txt --dry-run
              assay enrol add --app cameras --serials factory-run-7.txt
              assay enrol add --app cameras --tokens 20 --expires 30d --out tokens.txt
            """)

    /// The most serial numbers of one call.
    private static let batch = 1000

    @OptionGroup var server: ServerOptions

    @Option(help: "The app whose configuration has the fleet.")
    var app: AppID

    @Option(help: ArgumentHelp("A serial number; may be given several times.", valueName: "serial"))
    var serial: [String] = []

    @Option(help: ArgumentHelp("A file with one serial number a line, or - for standard input.", valueName: "file"))
    var serials: FileArgument?

    @Option(help: ArgumentHelp("How many tokens to make, at most 1000.", valueName: "count"))
    var tokens: UInt32 = 0

    @Option(
        help: ArgumentHelp(
            "When the permissions end: after a time such as 30d, or at one such as 2027-01-31T00:00:00Z. Required for tokens, within a year.",
            valueName: "time"))
    var expires: ExpiryArgument?

    @Option(help: "Only for devices of this family.")
    var family: String = ""

    @Option(help: "For the audit log: at most 256 bytes. It cannot be deleted there, so name no person.")
    var comment: String = ""

    @Option(help: ArgumentHelp("Write the tokens to this file, mode 0600, instead of printing them.", valueName: "file"))
    var out: String?

    @Flag(help: "Add nothing: say what would be added, and which serial numbers look odd.")
    var dryRun = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard !serial.isEmpty || serials != nil || tokens > 0 else {
            throw ValidationError("Give --serial, --serials or --tokens.")
        }
        guard tokens <= 1000 else { throw ValidationError("--tokens must be at most 1000.") }
        guard tokens == 0 || expires != nil else { throw ValidationError("--tokens takes --expires.") }
        guard out == nil || tokens > 0 else { throw ValidationError("--out goes with --tokens.") }
        if let out, FileManager.default.fileExists(atPath: out) { throw ValidationError("\(out) exists already.") }
        guard !dryRun || !serial.isEmpty || serials != nil else {
            throw ValidationError("--dry-run goes with serial numbers.")
        }
    }

    func run() async throws {
        let list = try serials.map { try SerialList($0) } ?? SerialList("")
        let all = serial + list.entries.map(\.serial)
        let expiry = expires?.time(from: SystemClock().now())
        let answers = try await server.with { client throws(AssayError) in
            var answers: [Assay_V1_AddEnrolmentsResponse] = []
            for start in stride(from: 0, to: all.count, by: Self.batch) {
                answers.append(
                    try await client.addEnrolments(
                        app: app, serials: Array(all[start..<min(start + Self.batch, all.count)]), family: family,
                        expiry: expiry,
                        comment: comment, isDryRun: dryRun, timeout: server.limit))
            }
            if tokens > 0, !dryRun {
                answers.append(
                    try await client.addEnrolments(
                        app: app, tokens: tokens, family: family, expiry: expiry, comment: comment, timeout: server.limit))
            }
            return answers
        }
        let added = answers.reduce(0) { $0 + Int($1.added) }
        if dryRun {
            preview(added: added, answers.flatMap(\.present), list)
        } else {
            try show(added: added, answers.flatMap(\.present), answers.flatMap(\.tokens), list)
        }
    }

    /// The most serial numbers that are shown of each kind.
    private static let shown = 20

    private func preview(added: Int, _ present: [String], _ list: SerialList) {
        let odd = list.odd
        if json {
            return Console.print(json: [
                "dry_run": true, "added": added, "present": present, "comments": list.comments,
                "repeated": list.repeated.map { ["line": $0.line, "serial": $0.serial] as [String: Any] },
                "odd": odd.map { ["line": $0.entry.line, "serial": $0.entry.serial, "why": $0.why] as [String: Any] },
            ])
        }
        Console.print(
            "would add \(added) \(added == 1 ? "serial number" : "serial numbers"); \(present.count) on the list before; nothing was added"
        )
        tellLeftOut(list)
        for serial in present.prefix(Self.shown) { Console.print("on the list before: \(serial.printable)") }
        tellMore(present.count)
        for (entry, why) in odd.prefix(Self.shown) {
            Console.print("odd, line \(entry.line): \(entry.serial.prefix(80).printable): \(why)")
        }
        tellMore(odd.count)
    }

    private func tellMore(_ count: Int) {
        if count > Self.shown { Console.print("… and \(count - Self.shown) more; --json has all") }
    }

    private func tellLeftOut(_ list: SerialList, _ tell: (String) -> Void = Console.print) {
        if list.comments > 0 { tell("left out \(list.comments) \(list.comments == 1 ? "comment line" : "comment lines")") }
        if let first = list.repeated.first {
            tell("left out \(list.repeated.count) repeated, the first in line \(first.line): \(first.serial.printable)")
        }
    }

    private func show(added: Int, _ present: [String], _ tokens: [String], _ list: SerialList) throws {
        if let out { try OutputFile.write(tokens.map { $0 + "\n" }.joined(), to: out, mode: 0o600, existing: .keep) }
        if json {
            var object: [String: Any] = ["added": added, "present": present]
            if out == nil { object["tokens"] = tokens } else { object["tokens_file"] = out }
            return Console.print(json: object)
        }
        // Standard output is for the tokens alone.
        let tell = self.tokens == 0 ? Console.print : Console.say
        if !serial.isEmpty || serials != nil {
            tell("added \(added) \(added == 1 ? "serial number" : "serial numbers")")
        }
        tellLeftOut(list, tell)
        for serial in present { tell("on the list before: \(serial.printable)") }
        if let out { Console.print("wrote   \(out), \(tokens.count) tokens") } else { tokens.forEach(Console.print) }
    }

}

struct EnrolRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an unused permission.",
        discussion: """
            A permission that a device has used stays on record: block the device ('assay device block'). Removing a readmission \
            takes it back; the device that would have been replaced stays.

            Exit status 1 if there is no such unused permission.

            Example:
              assay enrol remove --app cameras --serial CAM-0042
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The app whose configuration has the fleet.")
    var app: AppID

    @Option(help: "A serial number of the allow-list.")
    var serial: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The digest of a token, as 'assay enrol list' prints it.", valueName: "bytes"))
    var tokenDigest: BytesArgument?

    @Option(help: ArgumentHelp("A file with the token, or - for standard input.", valueName: "file"))
    var tokenFile: FileArgument?

    @Option(help: "For the audit log: at most 256 bytes. It cannot be deleted there, so name no person.")
    var comment: String = ""

    func validate() throws {
        guard [serial != nil, tokenDigest != nil, tokenFile != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --serial, --token-digest and --token-file.")
        }
    }

    func run() async throws {
        let permit: EnrolmentPermit =
            if let serial {
                .serial(serial)
            } else if let tokenFile {
                .token(String(decoding: try tokenFile.readToken(), as: UTF8.self))
            } else {
                .tokenDigest(tokenDigest?.bytes(wanting: 32) ?? [])
            }
        try await server.with { client throws(AssayError) in
            try await client.removeEnrolment(permit, app: app, comment: comment, timeout: server.limit)
        }
        Console.print("removed")
    }
}

struct EnrolListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List an app's permissions: serial numbers, and digests of tokens.",
        discussion: """
            A readmitted serial number is listed with the device that a provisioning replaces. Readmissions that wait are unused \
            permissions, and so are those that have expired, by this machine's clock, before a device used them: 'assay enrol \
            readmit' replaces an expired readmission, and 'assay enrol remove' with 'assay enrol add' another expired permission.

            Example:
              assay enrol list --app cameras --state unused
              assay enrol list --app cameras --serial CAM-0042
            """)

    enum State: String, CaseIterable, ExpressibleByArgument {
        case unused, used

        fileprivate var message: Assay_V1_Enrolment.State {
            switch self {
            case .unused: .unused
            case .used: .used
            }
        }
    }

    @OptionGroup var server: ServerOptions

    @Option(help: "The app whose configuration has the fleet.")
    var app: AppID

    @Option(help: "Only permissions in this state.")
    var state: State?

    @Option(help: ArgumentHelp("Only the permission for this serial number.", valueName: "serial"))
    var serial: String?

    @Option(help: ArgumentHelp("Stop after this many permissions.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
        if let serial, serial.isEmpty { throw ValidationError("--serial must not be empty.") }
    }

    func run() async throws {
        let now = SystemClock().now()
        let shown = try await server.with { client throws(AssayError) in
            try await PageReader.show(limit) { token throws(AssayError) in
                let page = try await client.enrolments(
                    app: app, state: state?.message ?? .unspecified, serial: serial ?? "", pageToken: token,
                    timeout: server.limit)
                return (page.enrolments, page.nextPageToken)
            } each: {
                if json { Console.print(json: $0.json(at: now), pretty: false) } else { Console.print($0.row(at: now)) }
            }
        }
        if shown == 0 {
            let wanted = serial.map { " for the serial number \($0.printable)" } ?? ""
            Console.sayEmpty("the app \(app) has no \(state.map { "\($0.rawValue) " } ?? "")permission\(wanted)")
        }
    }
}
