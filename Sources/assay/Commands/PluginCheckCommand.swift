import ArgumentParser
import AssayConfiguration
import AssayCore
import AssayFiles
import AssayPlugins
import AssaySchemes
import Foundation

struct PluginCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Examine a plugin in its sandbox, before a daemon runs it.",
        discussion: """
            The plugin is an executable, a folder with a main.py, or an entry of a catalog (.yaml). It is started as the daemon starts it, \
            many times. Each check has a line with its outcome; \(Documentation.page("extend/check.md")) describes them.

            Cases come from --vectors: a file, or all .json files of a folder, in the form that a plugin's tests/vectors.py writes. \
            Without cases the judgements are not examined. The configuration is that of --configuration, of the entry, or of the first \
            case that must be accepted.

            An executable may read the libraries' folders, and nothing else; --entry gives it the powers, limits and configuration of \
            an entry.

            Exit status: 0 no check failed; 1 a check failed; 65 a file cannot be used; 69 the launcher cannot be used.
            """)

    @Argument(help: ArgumentHelp("An executable, a folder with main.py, or an entry of a catalog.", valueName: "path"))
    var path: String

    @Option(help: ArgumentHelp("A file or folder with cases.", valueName: "path"))
    var vectors: [String] = []

    @Option(help: ArgumentHelp("The configuration as JSON, secret files as their content.", valueName: "file"))
    var configuration: String?

    @Option(help: ArgumentHelp("An entry of a catalog with the powers, limits and configuration to use.", valueName: "file"))
    var entry: String?

    @Option(help: ArgumentHelp("A file or folder that an executable may read besides.", valueName: "path"))
    var read: [String] = []

    @Option(
        help: ArgumentHelp("The configuration of a daemon: powers that it would refuse are refused.", valueName: "file"))
    var daemon: String?

    @Option(help: "Calls of the check of memory.")
    var calls = 10_000

    @Option(help: "Starts and ends of the check of restarts; 0 leaves it out.")
    var restarts = 1000

    @Option(
        help: ArgumentHelp(
            "How long a start, an answer that needs no work, and an end may take. Default: the entry's deadline and grace, at least 5s.",
            valueName: "duration"))
    var timeLimit: DurationArgument?

    @Flag(help: "Run the plugin without the sandbox's refusals, and list what it would miss. Root only.")
    var explainSandbox = false

    @Option(help: ArgumentHelp("The launcher; that of this installation, if this is not given.", valueName: "file"))
    var launcher: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (0...10_000_000).contains(calls), (0...1_000_000).contains(restarts) else {
            throw ValidationError("--calls is at most 10000000, --restarts at most 1000000.")
        }
        guard timeLimit.map({ (10...3_600_000).contains($0.milliseconds) }) ?? true else {
            throw ValidationError("--time-limit is 10ms to 1h.")
        }
    }

    func run() async throws {
        let launcher = launcher.map { absolute($0) } ?? PluginSettings.usualLauncher()
        guard access(launcher, X_OK) == 0 else {
            throw Console.failure(
                "launcher_unusable",
                "the launcher \(launcher) cannot be run: build it (make -C plugins/launcher), or name another (--launcher)",
                status: 69)
        }
        let copies = FileManager.default.temporaryDirectory.path + "/assay-check-" + Hex.encode(SecureRandom.bytes(8))
        defer { try? FileManager.default.removeItem(atPath: copies) }
        let plugin = try examined(launcher, copies: copies + "/copies")
        var options = PluginExamination.Options()
        (options.calls, options.restarts) = (calls, restarts)
        options.timeLimit = timeLimit.map { .milliseconds($0.milliseconds) }
        options.cases = try vectors.flatMap { try cases(absolute($0)) }
        if let configuration { options.configuration = PluginConfiguration(message: try contents(configuration)) }
        if explainSandbox {
            try await explain(plugin, options)
        } else {
            try await examine(plugin, options)
        }
    }

    // MARK: The examination

    private func examine(_ plugin: ExaminedPlugin, _ options: PluginExamination.Options) async throws {
        let line = ProgressLine()
        var examination = PluginExamination(plugin, options) { check, done, total in
            line.show("\(check.rawValue) \(done) of \(total)")
        }
        let results = await examination.run { result in
            line.clear()
            if !json { result.lines.forEach(Console.print) }
        }
        let failed = results.count { $0.outcome == .failed }
        if json {
            Console.print(json: [
                "plugin": examination.name, "version": examination.version, "failed": failed,
                "checks": results.map {
                    [
                        "check": $0.check.rawValue, "outcome": $0.outcome.rawValue, "sentence": $0.sentence,
                        "milliseconds": Int($0.duration / .milliseconds(1)),
                    ] as [String: Any]
                },
            ])
        } else {
            let counts = [ExaminationResult.Outcome.passed, .failed, .skipped].map { outcome in
                "\(results.count { $0.outcome == outcome }) \(outcome.rawValue)"
            }
            Console.print(
                Console.styled("\(examination.name) \(examination.version)", .bold) + ": " + counts.joined(separator: ", "))
        }
        guard failed == 0 else { throw ExitCode(1) }
    }

    private func explain(_ plugin: ExaminedPlugin, _ options: PluginExamination.Options) async throws {
        let explanation: SandboxExplanation
        do { explanation = try await SandboxExplanation(plugin, options) } catch {
            throw Console.failure("launcher_unusable", "\(error)", status: 69)
        }
        if json {
            return Console.print(json: ["calls": explanation.calls, "files": explanation.files, "other": explanation.others])
        }
        for call in explanation.calls { Console.print("call   \(call)") }
        for file in explanation.files { Console.print("file   \(file)") }
        for other in explanation.others { Console.print("other  \(other)") }
        Console.print(explanation.summary)
    }

    // MARK: Input

    private func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
            .standardizedFileURL.path
    }

    private func contents(_ path: String) throws -> [UInt8] {
        do throws(BoundedFileError) { return try BoundedFile.read(path, atMost: 64 << 20) } catch {
            throw Console.unreadable("\(path) \(error)")
        }
    }

    private func examined(_ launcher: String, copies: String) throws -> ExaminedPlugin {
        // A plugin never runs as root; this user exists on every system, and owns nothing.
        let user = geteuid() == 0 ? Sandbox.User(id: 65_534, group: 65_534) : nil
        let path = absolute(path)
        let closed = try daemon.map { try closedFiles(of: $0) } ?? []
        for folder in read.map({ absolute($0) }) {
            if let problem = PluginEntry.Draft.problems(with: folder, closed).first { throw Console.unreadable(problem) }
        }
        let isEntry = path.hasSuffix(".yaml")
        guard !isEntry || entry == nil else {
            throw Console.unreadable("\(path) is an entry itself: --entry is for executables and folders")
        }
        let model = try (isEntry ? path : entry.map { absolute($0) }).map { try catalogued($0, closed) }
        do throws(PluginFileError) {
            if isEntry, let model {
                return try ExaminedPlugin(model, launcher: launcher, copies: copies, user: user)
            }
            return try ExaminedPlugin(
                path: path, readable: read.map { absolute($0) }, like: model, launcher: launcher, copies: copies, user: user)
        } catch { throw Console.unreadable("\(error)") }
    }

    private func closedFiles(of daemon: String) throws -> [(path: String, what: String)] {
        do { return try Configuration.load(daemon).closedFiles } catch { throw Console.unreadable("\(error)") }
    }

    private func catalogued(_ file: String, _ closed: [(path: String, what: String)]) throws -> PluginEntry {
        do {
            let draft = try PluginEntry.Draft(reading: file, apps: nil)
            draft.checkPowers(closed)
            try draft.reader.finish()
            if let entry = draft.entry { return entry }
        } catch { throw Console.unreadable("\(error)") }
        throw Console.unreadable("\(file) is no entry of a catalog")
    }

    private func cases(_ path: String) throws -> [ExaminationCase] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Console.unreadable("\(path) does not exist")
        }
        var files = [path]
        if isFolder.boolValue {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            files = names.filter { $0.hasSuffix(".json") }.sorted().map { path + "/" + $0 }
            guard !files.isEmpty else {
                throw Console.unreadable("\(path) has no .json file: write cases into it (tests/vectors.py)")
            }
        }
        return try files.flatMap { file in
            let bytes = try contents(file)
            do throws(CaseError) { return try ExaminationCase.read(bytes).cases } catch {
                throw Console.unreadable("\(file) \(error)")
            }
        }
    }
}

extension ExaminationResult {
    fileprivate var lines: [String] {
        let style: Console.Style =
            switch outcome {
            case .passed: .good
            case .failed: .bad
            case .skipped: .warning
            }
        var lines = [
            "\(Console.styled(outcome.rawValue.padded(to: 7), style))  \(check.rawValue.padded(to: 19))  \(sentence.printable)"
        ]
        if outcome == .failed { lines.append("         a plugin \(check.meaning)") }
        return lines
    }
}

/// One line on a terminal that is written over.
private final class ProgressLine: Sendable {
    private let isTerminal = isatty(STDERR_FILENO) != 0

    func show(_ text: String) { write("\r\u{1B}[K\(text)") }
    func clear() { write("\r\u{1B}[K") }

    private func write(_ text: String) {
        guard isTerminal else { return }
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
