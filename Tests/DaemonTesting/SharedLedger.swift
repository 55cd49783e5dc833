import AssayClient
import AssayPostgres
import AssaySimulator
import Foundation
import Testing

/// Daemons on one ledger in a PostgreSQL database. Each has a folder and a writer of its own; key file and configuration are the same.
struct SharedLedger: Sendable {
    let settings: PostgresSettings
    let homes: [TestHome]

    /// - Parameters:
    ///   - port: of each daemon, by its number from 1 on; 0: the system chooses.
    ///   - more: other sections of its configuration.
    init(
        daemons count: Int, on server: TestServer, port: (Int) -> UInt16 = { _ in 0 }, more: (Int) -> String = { _ in "" }
    ) throws {
        settings = try server.database()
        let (authority, keys) = (TestAuthority(), try TemporaryFolder())
        homes = try (1...count).map { [settings] number in
            try TestHome(
                listen: ["tcp: 127.0.0.1:\(port(number))"], callers: "{loopback_demo: true}", more: more(number),
                authority: authority,
                store: """
                    {postgresql: {hosts: ["\(settings.hosts[0].name):\(settings.hosts[0].port)"], database: \(settings.database), user: \(settings.user), \
                    writer: daemon-\(number)}, folder: ., key_file: \(keys.file("ledger.key"))}
                    """)
        }
        folder = keys
    }

    private let folder: TemporaryFolder
    /// Of all daemons.
    var keyFile: String { folder.file("ledger.key") }

    /// Starts all of them, one after the other.
    func start() async throws -> [TestDaemon] {
        var daemons: [TestDaemon] = []
        for home in homes { daemons.append(try await TestDaemon(home)) }
        return daemons
    }
}
