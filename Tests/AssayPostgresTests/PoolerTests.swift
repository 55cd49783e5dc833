import AssayCore
import AssayLedger
import AssayTesting
import Foundation
import Testing

@testable import AssayPostgres

@Suite(
    "PgBouncer before the server", .needsServer, .serialized,
    .enabled(if: Pooler.isInstalled, "pgbouncer is absent: install it (make setup)"))
struct PoolerTests {
    @Test("A ledger behind a pooler of sessions keeps what it commits, and hears of changes by others")
    func sessions() async throws {
        let settings = try server().database()
        let pooler = try Pooler(of: settings, mode: "session")
        defer { pooler.end() }
        #expect(PostgresBackend(pooler.settings).inspect().obstacle == nil)
        let device = try Sample.device()
        let (one, two) = (
            try PostgresLedger.open(pooler.settings), try PostgresLedger.open(pooler.settings.writer("two"))
        )
        defer { for ledger in [one, two] { ledger.close() } }
        let spend = Sample.spend()
        #expect(try await one.commit([try Sample.entry(spends: [spend], registrations: [device])]) == [.committed])
        #expect(try await two.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
        for _ in 0..<200 where !one.isListening || !two.isListening { try await Task.sleep(for: .milliseconds(10)) }
        #expect(one.isListening && two.isListening)
        #expect(try await two.device(device.key)?.blocks.isEmpty == true)
        _ = try await one.block(.device(device.id), .test())
        for _ in 0..<200 where try await two.device(device.key)?.blocks.isEmpty == true {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await two.device(device.key)?.blocks.isEmpty == false)
        one.close()
        let again = try PostgresLedger.open(pooler.settings)
        defer { again.close() }
        #expect(try await again.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
    }

    @Test("A pooler that gives each transaction another connection of the server is refused", arguments: [false, true])
    func transactions(inTurn: Bool) throws {
        let settings = try server().database()
        let pooler = try Pooler(of: settings, mode: "transaction", inTurn: inTurn)
        defer { pooler.end() }
        #expect(PostgresBackend(pooler.settings).inspect().obstacle?.contains("pools sessions, not transactions") == true)
        #expect(throws: LedgerError.self) { try PostgresLedger.open(pooler.settings) }
        #expect(!PostgresBackend(settings).exists)
    }
}

/// PgBouncer in front of a database of the tests, as the unprivileged user.
private final class Pooler {
    private static let program = "/usr/sbin/pgbouncer"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    let settings: PostgresSettings
    private let folder: URL
    private let process: pid_t

    /// - Parameters:
    ///   - mode: its `pool_mode`.
    ///   - inTurn: whether it uses its connections in turn, instead of the one that was used last.
    init(of database: PostgresSettings, mode: String, inTurn: Bool = false) throws {
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

            """, "pgbouncer.ini")
        if geteuid() == 0 { try TestProgram.run("/bin/chown", ["-R", TestProgram.user, folder.path]) }
        var settings = database
        settings.hosts = [.init(folder.path, port: port)]
        (self.folder, self.settings) = (folder, settings)
        process = try TestProgram.spawn(Self.program, ["-q", configuration])
        for _ in 0..<400 {
            if (try? PostgresConnection(settings)) != nil { return }
            usleep(25_000)
        }
        end()
        throw PostgresServer.Failure(description: "pgbouncer accepts no connections")
    }

    func end() {
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        try? FileManager.default.removeItem(at: folder)
    }
}
