import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import Foundation

struct PrepareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prepare", abstract: "Ask for what a device needs before it can make evidence.",
        discussion: """
            Evidence of some formats is made in two steps: first its plugin prepares something for the device, such as the session of a \
            capture (\(Documentation.page("concepts/capture-sessions.md"))). The plugin defines the form of what it takes and of what it makes. The latter is written \
            byte for byte:

              assay prepare capture-session --app photos --body ask.json > session.json

            With --json it is a member 'body' in Base64, beside 'expires_at' if the plugin says when it ends. The caller needs the role \
            'verify'.

            Exit status 1 if the request is refused, 78 if nothing is prepared for the format.
            """)

    /// The most that the daemon takes, in bytes.
    private static let bodyLimit = 524_288

    @OptionGroup var server: ServerOptions

    @Argument(help: "The format of the evidence.")
    var format: EvidenceFormat

    @Option(help: "The app, as the daemon's configuration names it.")
    var app: AppID

    @Option(
        help: ArgumentHelp(
            "What is asked for, in the form of the plugin, or '-' for standard input. Default: nothing.", valueName: "file"))
    var body: FileArgument?

    @Option(help: ArgumentHelp("The IP address of your own client, by which requests are counted.", valueName: "address"))
    var sourceAddress: SourceAddress?

    @Option(help: ArgumentHelp("The file to write. Default: standard output.", valueName: "file"))
    var out: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let content = try body?.read(atMost: Self.bodyLimit) ?? []
        let answer = try await server.with { client throws(AssayError) -> Result<Assay_V1_PrepareResponse, AssayError> in
            do throws(AssayError) {
                return .success(
                    try await client.prepare(
                        format, for: app, body: content, sourceAddress: sourceAddress, timeout: server.limit))
            } catch {
                guard error.isRefusalToPrepare else { throw error }
                return .failure(error)
            }
        }
        switch answer {
        case .success(let prepared): try show(prepared)
        case .failure(let error): throw error.failure("\(server.address): \(error)", exitStatus: 1)
        }
    }

    private func show(_ prepared: Assay_V1_PrepareResponse) throws {
        let bytes = Array(prepared.body)
        if let out { try OutputFile.write(bytes, to: out) }
        if json {
            var object = ["app": app.text, "format": format.rawValue, "body": Base64.standard.encode(bytes)]
            if prepared.expiresAtUnixMs != 0 {
                object["expires_at"] = Timestamp(unixMilliseconds: prepared.expiresAtUnixMs).description
            }
            Console.print(json: object)
        } else if out == nil {
            // On a terminal as it may be shown there, with a line end.
            if isatty(STDOUT_FILENO) != 0 {
                Console.print(String(decoding: bytes, as: UTF8.self))
            } else {
                Console.write(bytes)
            }
        }
    }
}

extension AssayError {
    /// Whether what prepares evidence refuses the request, for a reason of its own.
    fileprivate var isRefusalToPrepare: Bool {
        code == .failedPrecondition && !["nothing_to_prepare", ReasonCode.formatNotAccepted.rawValue].contains(reason)
    }
}
