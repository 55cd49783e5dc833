import AssayTesting
import Foundation
import Synchronization

@testable import AssayPostgres

/// PgBouncer in front of a server of the tests, as the unprivileged user.
final class Pooler: Sendable {
    private static let program = "/usr/sbin/pgbouncer"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    let settings: PostgresSettings
    private let folder: URL
    private let process: Mutex<pid_t>
    private let configuration: URL

    /// - Parameters:
    ///   - mode: its `pool_mode`.
    ///   - inTurn: whether it uses its connections in turn, instead of the one that was used last.
    ///   - connections: how many it has to the server at most.
    init(of database: PostgresSettings, mode: String, inTurn: Bool = false, connections: Int = 50) throws {
        let port = try PostgresServer.freePort()
        let folder = URL(filePath: "/tmp/assay-pool-\(UInt32.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        func write(_ text: String, _ name: String) throws -> String {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            return file.path
        }
        let users = try write("\"\(database.user)\" \"\"\n", "users.txt")
        let configuration = try write(
            """
            [databases]
            * = host=\(database.hosts[0].name) port=\(database.hosts[0].port)
            [pgbouncer]
            listen_port = \(port)
            unix_socket_dir = \(folder.path)
            auth_type = trust
            auth_file = \(users)
            pool_mode = \(mode)
            server_round_robin = \(inTurn ? 1 : 0)
            default_pool_size = \(connections)
            max_client_conn = \(4 * connections)

            """, "pgbouncer.ini")
        if geteuid() == 0 { try TestProgram.run("/bin/chown", ["-R", TestProgram.user, folder.path]) }
        var settings = database
        settings.hosts = [.init(folder.path, port: port)]
        (self.folder, self.settings, self.configuration) = (folder, settings, URL(filePath: configuration))
        process = Mutex(try TestProgram.spawn(Self.program, ["-q", configuration]))
        try awaitConnections()
    }

    private func awaitConnections() throws {
        for _ in 0..<2400 {
            if (try? PostgresConnection(settings)) != nil { return }
            usleep(25_000)
        }
        end()
        throw PostgresServer.Failure(description: "pgbouncer accepts no connections")
    }

    /// Changes `pool_mode` while it runs.
    func use(mode: String) throws {
        let lines = try String(contentsOf: configuration, encoding: .utf8).split(separator: "\n").map { line in
            line.hasPrefix("pool_mode") ? "pool_mode = \(mode)" : String(line)
        }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: configuration)
        stop()
        let started = try TestProgram.spawn(Self.program, ["-q", configuration.path])
        process.withLock { $0 = started }
        try awaitConnections()
    }

    private func stop() {
        let running = process.withLock { $0 }
        kill(running, SIGKILL)
        var status: Int32 = 0
        while waitpid(running, &status, 0) < 0, errno == EINTR {}
    }

    func end() {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
