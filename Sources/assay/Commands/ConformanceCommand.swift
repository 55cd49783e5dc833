import ArgumentParser
import AssayHost

struct ConformanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance", abstract: "Judge test vectors and say whether each has its true outcome.",
        discussion: """
            Every .json file at or below the folder that is a vector is judged at its own time with its own inputs and policy, \
            by the verifiers that the daemon runs. Disputed vectors are reported and not counted. Exit status 1 if any failed, \
            65 if there is none.
            """)

    @Argument(help: "A folder of vectors, or one file.")
    var folder: String

    @Option(help: ArgumentHelp("Judge this kind only, e.g. app-attest.attestation.", valueName: "kind"))
    var kind: String?

    @Flag(help: "Print one JSON object a line, and no summary.")
    var json = false

    func run() throws {
        var report = ConformanceReport(json: json)
        do throws(ConformanceError) {
            try Conformance().run(folder, kind: kind) { Console.print(report.line($0)) }
        } catch {
            Console.error(error.description)
            throw ExitCode(65)
        }
        if !json { Console.print(report.summary) }
        guard !report.isEmpty else { throw Console.unreadable(nothing) }
        guard report.failed == 0 else { throw ExitCode(1) }
    }

    /// To judge nothing is no success: the folder or the kind is not the one that was meant.
    private var nothing: String {
        guard let kind else { return "\(folder): there is no vector" }
        return "\(folder): there is no vector of the kind \(kind); judged are \(Conformance().kinds.joined(separator: ", "))"
    }
}
