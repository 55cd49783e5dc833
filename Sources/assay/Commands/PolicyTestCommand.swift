import ArgumentParser
import AssayApps
import AssayCore
import AssaySchemes
import Logging

struct PolicyTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Run the tests of a policy: evidence or claims in, decision out.",
        discussion: """
            The file names a configuration and cases, each with a time, evidence in files or the claims of a registered device, and what the \
            policy must decide. The cases run in this process, by the verifiers and the pipeline of the daemon: no daemon is asked, no \
            vendor and no plugin. \(Documentation.page("operate/test-a-policy.md")) describes the file.

            Exit status 0 if every case passes, 1 if one fails, 2 if the file or its configuration cannot be read.
            """)

    @Argument(help: ArgumentHelp("The file with the cases.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Another configuration than the file names.", valueName: "file"))
    var config: String?

    @Flag(help: "Print one JSON object a line, and no summary.")
    var json = false

    func run() async throws {
        let cases: PolicyCaseFile
        do throws(ConfigurationError) {
            cases = try PolicyCaseFile.load(file, configuration: config)
        } catch {
            throw Console.failure("unreadable_input", "\(error)", status: 2)
        }
        var (passed, failed) = (0, 0)
        do throws(TrialError) {
            try await PolicyCaseRunner(cases, logger: Logger(label: "assay", factory: { _ in SwiftLogNoOpLogHandler() })).run {
                result in
                if result.passed { passed += 1 } else { failed += 1 }
                if json { Console.print(json: result.json, pretty: false) } else { result.lines.forEach(Console.print) }
            }
        } catch {
            throw Console.failure("unreadable_input", "\(file): \(error)", status: 2)
        }
        if !json { Console.print("\(passed) of \(passed + failed) cases passed" + (failed > 0 ? ", \(failed) failed" : "")) }
        guard failed == 0 else { throw ExitCode(1) }
    }
}

extension PolicyCaseResult {
    fileprivate var lines: [String] {
        guard !passed else { return [Console.styled("✓", .good) + " \(name): \(found)"] }
        var lines = [Console.styled("✗", .bad) + " \(name)" + (line.map { " (line \($0))" } ?? "")]
        lines += ["    expected  \(expected)", "    found     \(found)"]
        if !detail.isEmpty { lines.append("              \(detail)") }
        return lines
    }

    fileprivate var json: [String: Any] {
        var object: [String: Any] = ["name": name, "passed": passed, "expected": expected, "found": found]
        if !detail.isEmpty { object["detail"] = detail }
        if let line { object["line"] = line }
        return object
    }
}
