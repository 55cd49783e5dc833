import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import Crypto

struct VerdictsFindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Look up whether a file was accepted, by its SHA-256.",
        discussion: """
            Shows the newest accepted verdicts on exactly these bytes, at most 10, with what they mean and what they do not (\(Documentation.page("concepts/look-up.md"))). The app's \
            configuration has to keep them, with a section 'lookup'. The caller needs the role 'verify'. The file itself is not sent.

            The answer can be had signed for others: --result plain-jws or plain-cose, with --audience.

            Exit status 0 if something was found, 1 if not, 69 if a result was not signed.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The app, as the configuration names it.")
    var app: AppID

    @Option(help: ArgumentHelp("The file, or '-' for standard input.", valueName: "file"))
    var payload: FileArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("SHA-256 of the file, in place of the file.", valueName: "bytes"))
    var payloadSha256: BytesArgument?

    @Option(help: ArgumentHelp("The IP address of your own client, by which look-ups are counted.", valueName: "address"))
    var sourceAddress: SourceAddress?

    @OptionGroup(title: "Results") var results: ResultOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (payload == nil) != (payloadSha256 == nil) else {
            throw ValidationError("Give one of --payload and --payload-sha256.")
        }
        if let given = payloadSha256?.bytes(wanting: 32), given.count != 32 {
            throw ValidationError("--payload-sha256 must have 32 bytes, not \(given.count).")
        }
    }

    private func hash() throws -> [UInt8] {
        if let given = payloadSha256 { return given.bytes(wanting: 32) }
        return try payload.map { Array(SHA256.hash(data: try $0.read(atMost: .max))) } ?? []
    }

    func run() async throws {
        let (hash, requests) = (try hash(), results.requests)
        let answer = try await server.with { client throws(AssayError) in
            try await client.findVerdicts(
                of: app, payloadSHA256: hash, sourceAddress: sourceAddress, results: requests, timeout: server.limit)
        }
        let text = LookupText(answer: answer)
        if json { Console.print(json: text.json) } else { text.lines.forEach(Console.print) }
        let tokens = text.results.map(\.token)
        if let path = results.resultFile, let token = tokens.first ?? nil { try OutputFile.write(token, to: path, mode: 0o600) }
        guard tokens.allSatisfy({ $0 != nil }) else { throw ExitCode(AssayError.unavailableStatus) }
        guard answer.found else { throw ExitCode(1) }
    }
}
