package import Foundation

/// Runs programs for tests, without their output: those of a PostgreSQL server as an unprivileged user where this process is root.
package enum TestProgram {
    /// A user that is not root: Debian's package makes it.
    package static let user = "postgres"

    /// The command that runs a program as the unprivileged user.
    static func command(_ path: String, _ arguments: [String]) -> (path: String, arguments: [String]) {
        guard geteuid() == 0 else { return (path, arguments) }
        return ("/usr/bin/setpriv", ["--reuid=\(user)", "--regid=\(user)", "--init-groups", path] + arguments)
    }

    /// Starts a program as the unprivileged user.
    package static func spawn(_ path: String, _ arguments: [String]) throws -> pid_t {
        let (path, arguments) = command(path, arguments)
        return try start(path, arguments)
    }

    /// Runs a program as this process' user.
    ///
    /// - Throws: `PostgresServer.Failure` if it does not end with 0.
    package static func run(_ path: String, _ arguments: [String]) throws {
        let child = try start(path, arguments)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else {
            throw PostgresServer.Failure(description: "\(path) \(arguments.joined(separator: " ")): status \(status)")
        }
    }

    /// Foundation's `Process` waits for all that inherit its files, the server included.
    private static func start(_ path: String, _ arguments: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
        for file in [1, 2] as [Int32] { posix_spawn_file_actions_adddup2(&actions, 0, file) }
        // The user may not be allowed into the folder of the tests.
        let words = ["/bin/sh", "-c", "cd / && exec \"$@\"", "sh", path] + arguments
        let texts: [UnsafeMutablePointer<CChar>?] = words.map { word in strdup(word) } + [nil]
        defer { for text in texts { free(text) } }
        let settings = ["PATH=/usr/bin:/bin", "LC_ALL=C"]
        let environment: [UnsafeMutablePointer<CChar>?] = settings.map { word in strdup(word) } + [nil]
        defer { for text in environment { free(text) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, "/bin/sh", &actions, nil, texts, environment)
        guard code == 0 else { throw PostgresServer.Failure(description: "\(path) cannot be started: error \(code)") }
        return child
    }
}
