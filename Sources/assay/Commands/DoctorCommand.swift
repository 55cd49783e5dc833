import ArgumentParser
import AssayDoctor
import Foundation

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look at an installation as an operator would, and say what to do.",
        discussion: """
            Asks the daemon for its status and metrics, as a caller with the role observe for all apps, and looks at the configuration \
            file and at this machine: clock, disk, files, lists, certificates and keys that end, listeners, callers that were never \
            seen, apps that reject everything or are not used. Changes nothing.

            The file is the one of --config, or \(Self.usualConfiguration) where this user may read it; without --server the daemon is \
            asked at an address of the file. 'assayd check-config' judges the file: assayd must be beside assay or in PATH.

            Exit status: 0 no problem; 1 a problem, or with --strict a warning; 64 wrong usage.
            """)

    private static let usualConfiguration = "/etc/assay/assayd.yaml"
    private static let usualUser = "assay"

    @OptionGroup var server: ServerOptions

    @Option(name: .shortAndLong, help: ArgumentHelp("The daemon's configuration, on its own machine.", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Judge folders and files as this user sees them: the one that runs the daemon. Default: yourself; assay, if root looks at "
                + "the package's file.", valueName: "name"))
    var user: String?

    @Flag(help: "Exit with 1 for warnings too.")
    var strict = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let usual = FileManager.default.isReadableFile(atPath: Self.usualConfiguration) ? Self.usualConfiguration : nil
        // Root may nearly everything, and the package's unit runs the daemon as its own user.
        let isPackaged = (config ?? usual) == Self.usualConfiguration && geteuid() == 0 && getpwnam(Self.usualUser) != nil
        if let config, !FileManager.default.fileExists(atPath: config) {
            throw Console.unreadable("there is no file \(config)")
        }
        let facts = await InstallationFacts.collect(
            from: server, configuration: config ?? usual, as: user ?? (isPackaged ? Self.usualUser : nil))
        let diagnosis = Diagnosis(of: facts)
        if json { Console.print(json: diagnosis.json) } else { diagnosis.lines.forEach(Console.print) }
        let (problems, warnings) = (diagnosis.count(.problem), diagnosis.count(.warning))
        if problems > 0 || strict && warnings > 0 { throw ExitCode(1) }
    }
}

extension Diagnosis {
    fileprivate var lines: [String] {
        [Console.styled(summary, .bold)]
            + findings.flatMap { finding -> [String] in
                let word = Console.styled(finding.severity.rawValue, finding.severity.style)
                let space = String(repeating: " ", count: 9 - finding.severity.rawValue.count)
                let subject = finding.subject.isEmpty ? "" : finding.subject + ": "
                let line = word + space + subject + finding.message + Console.styled("  (\(finding.code))", .faint)
                return finding.remedy.isEmpty ? [line] : [line, "         to do: " + finding.remedy]
            }
    }

    fileprivate var json: [String: Any] {
        [
            "problems": count(.problem), "warnings": count(.warning), "ok": count(.ok),
            "findings": findings.map {
                [
                    "severity": $0.severity.rawValue, "code": $0.code, "subject": $0.subject, "message": $0.message,
                    "remedy": $0.remedy,
                ]
            },
        ]
    }
}

extension DoctorFinding.Severity {
    fileprivate var style: Console.Style {
        switch self {
        case .problem: .bad
        case .warning: .warning
        case .ok: .good
        }
    }
}
