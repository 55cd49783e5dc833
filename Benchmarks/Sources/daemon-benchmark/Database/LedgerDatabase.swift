import AssayClient
import AssayCore
import AssayTesting
import Foundation

/// A PostgreSQL server for daemons that share a ledger, alone or with a synchronous standby. Daemons reach it as from other machines: over
/// TLS, with a password.
final class LedgerDatabase: Sendable {
    /// Of the role and of its database.
    private static let name = "assay"
    /// The default of `store.postgresql.schema`.
    private static let schema = "assay"

    let primary: PostgresServer
    let standby: PostgresServer?
    private let certificate: String
    /// Has the password of the role, and the key file of all daemons.
    private let folder: URL

    /// Whether there are a server's programs on this machine.
    static var isAvailable: Bool { PostgresServer.programs != nil }

    /// Starts the server, with a new and empty database.
    init(standby hasStandby: Bool = false) throws {
        guard let programs = PostgresServer.programs else {
            throw PostgresServer.Failure(
                description: "there is no PostgreSQL server here (initdb): install the package postgresql")
        }
        primary = try PostgresServer(binaries: programs)
        certificate = try primary.serveTLS()
        // As docs/operate/postgresql.md advises; no checkpoint by size falls into a round.
        try primary.configure(
            """
            shared_buffers = 512MB
            checkpoint_timeout = 15min
            max_wal_size = 16GB
            """)
        try primary.start()
        let password = Hex.encode(SecureRandom.bytes(16))
        try primary.run("CREATE ROLE \(Self.name) LOGIN PASSWORD '\(password)'")
        try primary.run("CREATE DATABASE \(Self.name) OWNER \(Self.name)")
        if hasStandby {
            let standby = try primary.standby(name: "standby")
            try primary.configure("synchronous_standby_names = 'FIRST 1 (standby)'")
            primary.reload()
            self.standby = standby
        } else {
            standby = nil
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = FileManager.default.createFile(
            atPath: folder.appending(path: "password").path, contents: Data(password.utf8),
            attributes: [.posixPermissions: 0o600])
        guard made else { throw CocoaError(.fileWriteUnknown) }
    }

    func remove() {
        standby?.remove()
        primary.remove()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts daemons on the database, and waits until each serves: the first one makes the key file.
    ///
    /// - Parameter configuration: of all, but for the ledger.
    func start(
        _ count: Int, executable: String, _ configuration: DaemonConfiguration = DaemonConfiguration()
    ) async throws -> [DaemonProcess] {
        var daemons: [DaemonProcess] = []
        for number in 1...count {
            var own = configuration
            own.store = store(writer: "daemon-\(number)")
            let daemon = try DaemonProcess(executable: executable, own)
            daemons.append(daemon)
            for client in try await Clients.connect(1, to: daemon.address) { await client.close() }
        }
        return daemons
    }

    /// The section `store` of a daemon.
    private func store(writer: String) -> String {
        """
        {postgresql: {hosts: ["127.0.0.1:\(primary.port)"], database: \(Self.name), user: \(Self.name), \
        password_file: \(folder.path)/password, ca: \(certificate), writer: \(writer), require_standby: \(standby != nil)}, \
        folder: ., key_file: \(folder.path)/ledger.key}
        """
    }

    // MARK: Figures

    /// CPU time of the primary and of the standby, if there is one, in seconds.
    func cpuSeconds() throws -> [Double] { try [primary, standby].compactMap { try $0.map(ProcessorTime.seconds) } }

    /// The rows of a query in the ledger's schema.
    func rows(_ query: String) throws -> [[String]] {
        try primary.rows("SET search_path = \(Self.schema); \(query)", in: Self.name)
    }

    /// Lets the server write its buffers to the disk.
    func checkpoint() throws { try primary.run("CHECKPOINT") }

    /// Bytes of WAL that were written so far.
    func walBytes() throws -> Double {
        try rows("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn").first?.first.flatMap { Double($0) } ?? 0
    }

    /// Updates of the counters of devices so far, and those of them that stayed on their page (HOT).
    func counterUpdates() throws -> (all: Double, hot: Double) {
        let numbers = try rows(
            """
            SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables
            WHERE schemaname = '\(Self.schema)' AND relname = 'counters'
            """
        ).first?.compactMap { Double($0) }
        guard let numbers, numbers.count == 2 else { throw CocoaError(.fileReadCorruptFile) }
        return (numbers[0], numbers[1])
    }
}
