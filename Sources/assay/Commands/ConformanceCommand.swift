import ArgumentParser
import AssayConfiguration

struct ConformanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance", abstract: "Run test vectors and compare each outcome with the true one.",
        discussion: """
            Every .json file at or below the folder that is a vector is run at its own time with its own inputs and policy, \
            by the daemon's verifiers. Disputed vectors are reported and not counted. Exit status 1 if any failed, \
            65 if there are none.
            """)

    @Argument(help: "A folder of vectors, or one file.")
    var folder: String

    @Option(help: ArgumentHelp("Run only this kind, e.g. app-attest.attestation.", valueName: "kind"))
    var kind: String?

    @Flag(help: "Print one JSON object a line, and no summary.")
    var json = false

    func run() throws {
        var report = ConformanceReport(json: json)
        do throws(ConformanceError) {
            try Conformance().run(folder, kind: kind) { Console.print(report.line($0)) }
        } catch {
            throw Console.unreadable(error.description)
        }
        if !json { Console.print(report.summary) }
        guard !report.isEmpty else { throw Console.unreadable(nothing) }
        guard report.failed == 0 else { throw ExitCode(1) }
    }

    /// A run without a vector fails: the folder or the kind is probably wrong.
    private var nothing: String {
        guard let kind else { return "\(folder): there is no vector" }
        return "\(folder): there is no vector of the kind \(kind); judged are \(Conformance().kinds.joined(separator: ", "))"
    }
}
