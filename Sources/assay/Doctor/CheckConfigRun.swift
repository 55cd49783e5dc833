import AssayDoctor
import Foundation

/// A run of `assayd check-config --json`, which judges a configuration file on this machine: its rules are the daemon's, which the command
/// line does not link.
enum CheckConfigRun {
    /// - Parameter user: as whom the daemon runs; `nil`: as this process.
    static func run(on file: String, as user: String?) -> InstallationFacts.FileCheck {
        guard let program = program("assayd") else {
            return .unchecked(file: file, "there is no assayd beside this program or in PATH")
        }
        let output = output(of: program, ["check-config", "--json", file] + (user.map { ["--user", $0] } ?? []))
        guard let output, let object = (try? JSONSerialization.jsonObject(with: output)) as? [String: Any] else {
            return .unchecked(file: file, "\(program) check-config gave no answer")
        }
        return .checked(
            file: file, digest: object["digest"] as? String ?? "", problems: members("problems", of: object).map(problem),
            findings: members("findings", of: object).map(finding))
    }

    private static func members(_ name: String, of object: [String: Any]) -> [[String: Any]] {
        object[name] as? [[String: Any]] ?? []
    }

    private static func problem(_ object: [String: Any]) -> InstallationFacts.FileCheck.Problem {
        let (path, message) = (object["path"] as? String ?? "", object["message"] as? String ?? "")
        return InstallationFacts.FileCheck.Problem(
            line: object["line"] as? Int, text: path.isEmpty ? message : "\(path): \(message)")
    }

    private static func finding(_ object: [String: Any]) -> InstallationFacts.FileCheck.Finding {
        InstallationFacts.FileCheck.Finding(
            code: object["code"] as? String ?? "", severity: object["severity"] as? String ?? "",
            line: object["line"] as? Int, path: object["path"] as? String ?? "", message: object["message"] as? String ?? "",
            isIntended: object["intended"] as? Bool ?? false)
    }

    // MARK: The program

    /// A program beside this one, or else in `PATH`.
    private static func program(_ name: String) -> String? {
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
        return ([own].compactMap(\.self) + path).map { $0 + "/" + name }.first(where: FileManager.default.isExecutableFile)
    }

    /// What the program writes to standard output; `nil` if it cannot be started. By `posix_spawn`: `Process` of Foundation may crash
    /// while other threads work.
    private static func output(of program: String, _ arguments: [String]) -> Data? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        let reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let error = posix_spawn(&child, program, &actions, nil, &words, environ)
        close(ends[1])
        guard error == 0 else { return nil }
        let data = try? reading.readToEnd()
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return data ?? Data()
    }
}
