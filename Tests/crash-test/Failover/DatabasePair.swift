import AssayCore
import AssayTesting
import Foundation
import Synchronization

/// A PostgreSQL primary and a synchronous standby, which can change places. Daemons reach them over TLS, with a password.
final class DatabasePair: Sendable {
    static let user = "assay"
    private static let standbyName = "standby"

    private let servers: [PostgresServer]
    private let number = Mutex(0)
    /// The certificate of both, which is its own root.
    let certificate: String
    /// Of ``user``.
    let password = Hex.encode(SecureRandom.bytes(16))
    /// Each has its folder in a file system of its own, in memory, which can be filled.
    private let isMounted: Bool

    var primary: PostgresServer { servers[number.withLock { $0 }] }
    var standby: PostgresServer { servers[1 - number.withLock { $0 }] }
    /// In the order in which they were made.
    var ports: [UInt16] { servers.map(\.port) }

    /// - Parameters:
    ///   - addresses: where both listen.
    ///   - network: the third byte of the addresses of the daemons' networks.
    init(binaries: String, addresses: [String], network: UInt8) throws {
        isMounted = NetworkNamespace.areAvailable
        let prepare: (String) throws -> Void = { [isMounted] folder in if isMounted { try Self.mount(folder) } }
        let primary = try PostgresServer(binaries: binaries, prepare: prepare)
        certificate = try primary.serveTLS(at: addresses)
        let rules = URL(filePath: primary.data + "/pg_hba.conf")
        let others = try String(contentsOf: rules, encoding: .utf8)
        let rule = "hostssl all all 198.18.\(network).0/24 scram-sha-256\n"
        try (others + rule).write(to: rules, atomically: false, encoding: .utf8)
        try primary.configure(
            """
            max_connections = 60
            wal_retrieve_retry_interval = 200ms
            wal_keep_size = 64MB
            max_wal_size = 256MB
            restart_after_crash = on
            """)
        try primary.start()
        try primary.run("CREATE ROLE \(Self.user) LOGIN PASSWORD '\(password)'")
        try primary.run("CREATE DATABASE \(Self.user) OWNER \(Self.user)")
        // The standby's copy has the setting too: promoted, it waits for a standby of its own.
        try primary.configure("synchronous_standby_names = 'FIRST 1 (\(Self.standbyName))'")
        servers = [primary, try primary.standby(name: Self.standbyName, prepare: prepare)]
        primary.reload()
    }

    func remove() {
        for server in servers {
            server.keep()
            if isMounted { try? TestProgram.run("/usr/bin/umount", [server.folder.path]) }
            server.remove()
        }
    }

    /// Ends both and leaves their folders.
    func keep() { for server in servers { server.keep() } }

    /// The shell's command that ends both and removes their folders.
    var removal: String {
        let folders = servers.map(\.folder.path)
        let ends = folders.map { "kill -QUIT $(head -n 1 \($0)/data/postmaster.pid)" }
        return
            (ends + ["sleep 1"] + (isMounted ? ["umount " + folders.joined(separator: " ")] : []) + [
                "rm -rf " + folders.joined(separator: " ")
            ]).joined(separator: "; ")
    }

    /// Ends all processes of the primary by SIGKILL, and promotes the standby. The former primary's data stay.
    func failOver() throws {
        try primary.killAll()
        try standby.promote()
        number.withLock { $0 = 1 - $0 }
    }

    /// Makes the server that is not the primary a standby with a new copy.
    func rebuildStandby() throws {
        let former = standby
        former.stop(SIGQUIT)
        try FileManager.default.removeItem(atPath: former.data)
        try former.copy(primary, name: Self.standbyName)
        try former.start()
    }

    /// Ends every connection of a daemon.
    func terminateConnections() throws {
        try primary.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(Self.user)'")
    }

    // MARK: Disks

    private static let capacity = "768m"

    private static func mount(_ folder: String) throws {
        try TestProgram.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=\(capacity),mode=755", "assay-test", folder])
    }

    private func ballast(of server: PostgresServer) -> String { server.folder.path + "/ballast" }

    /// Leaves no space in the primary's file system.
    func fillDisk() throws {
        // It ends with an error where the space does.
        try? TestProgram.run("/usr/bin/dd", ["if=/dev/zero", "of=" + ballast(of: primary), "bs=64k"])
    }

    /// Gives the space back, and starts the primary if it has ended, as an operator does.
    func freeDisk() throws {
        try FileManager.default.removeItem(atPath: ballast(of: primary))
        if !primary.isRunning { try primary.start() }
    }
}
