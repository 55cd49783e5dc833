import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct CAListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the CAs of a daemon, and what each does now.",
        discussion: """
            A CA is next (published, and does not sign yet), signing, retiring (signs its revocation list only) or ended. A caller of \
            any role may ask.

            With --out the certificates of all CAs are written as PEM, for those who verify device certificates: first each CA's own, \
            then those above it.

            Exit status 69 if a CA has a problem: it cannot sign now.

            Example:
              assay ca list --out device-cas.pem
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: ArgumentHelp("Write the certificates to this file, PEM.", valueName: "file"))
    var out: String?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        let authorities = try await server.with { client throws(AssayError) in
            try await client.authorities(timeout: server.limit)
        }
        for authority in authorities {
            if json {
                Console.print(json: authority.json, pretty: false)
            } else {
                authority.lines.forEach(Console.print)
            }
        }
        if authorities.isEmpty { Console.sayEmpty("the configuration has no CAs that issue certificates") }
        if let out {
            var written: [[UInt8]] = []
            for certificate in authorities.flatMap(\.chain).map({ Array($0) }) where !written.contains(certificate) {
                written.append(certificate)
            }
            try OutputFile.write(written.pem, to: out)
            if !json { Console.print("wrote   \(out)") }
        }
        guard authorities.allSatisfy(\.problem.isEmpty) else { throw ExitCode(69) }
    }
}
