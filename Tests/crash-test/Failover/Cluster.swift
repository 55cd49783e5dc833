import AssayTesting
import Foundation
import Synchronization

/// Several daemons on one pair of databases, each in a network namespace of its own where that is possible.
final class Cluster: Sendable {
    let home: Home
    let databases: DatabasePair
    /// Of each daemon; empty: they share this process' network.
    let namespaces: [NetworkNamespace]
    /// Of each daemon, from its next start on.
    private let programs: Mutex<[String]>
    private let processes: Mutex<[DaemonProcess?]>
    private let reaper: Reaper

    /// - Parameters:
    ///   - program: `assayd`.
    ///   - binaries: the folder of the server's programs.
    ///   - takesUploads: false where a daemon may be of an earlier version.
    init(daemons count: Int, program: String, binaries: String, takesUploads: Bool = true) async throws {
        programs = Mutex(Array(repeating: program, count: count))
        let network = try NetworkNamespace.freeNetwork()
        let namespaces =
            NetworkNamespace.areAvailable
            ? try (0..<count).map { try NetworkNamespace(network: network, number: $0) } : []
        let names = (1...count).map { "daemon-\($0)" }
        let addresses = ["127.0.0.1"] + namespaces.map(\.databaseAddress)
        let databases = try DatabasePair(binaries: binaries, addresses: addresses, network: network)
        home = try await Home(daemons: names, takesUploads: takesUploads) { name in
            let number = names.firstIndex(of: name) ?? 0
            let address = namespaces.isEmpty ? "127.0.0.1" : namespaces[number].databaseAddress
            let hosts = databases.ports.map { "\"\(address):\($0)\"" }.joined(separator: ", ")
            return """
                {postgresql: {hosts: [\(hosts)], database: \(DatabasePair.user), user: \(DatabasePair.user), \
                password_file: password, ca: \(databases.certificate), writer: \(name), require_standby: true}, \
                folder: \(name), key_file: ledger.key}
                """
        }
        (self.databases, self.namespaces) = (databases, namespaces)
        try home.write(databases.password, to: "password")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.file("password"))
        for name in names {
            try FileManager.default.createDirectory(atPath: home.file(name), withIntermediateDirectories: false)
        }
        processes = Mutex(names.map { _ in nil })
        let removals = namespaces.map(\.removal) + [databases.removal, "rm -rf \(home.folder)"]
        reaper = try Reaper(removals.joined(separator: "; "))
    }

    // MARK: Daemons

    var count: Int { home.daemons.count }

    /// Starts those that do not run, and waits until they answer.
    func start() async throws {
        for daemon in home.daemons.indices where process(daemon) == nil { try await start(daemon) }
    }

    /// Starts one, and waits until it answers. It is started again, as a service manager does, where it gave up before a busy database answered.
    func start(_ daemon: Int) async throws {
        let command =
            (namespaces.isEmpty ? [] : namespaces[daemon].prefix) + [
                program(daemon), "--config", home.configuration(of: daemon),
            ]
        let late = ContinuousClock.now + DaemonProcess.patience
        while true {
            let process = try DaemonProcess(command[0], Array(command.dropFirst()), in: home, as: daemon)
            processes.withLock { $0[daemon] = process }
            do {
                return try await process.serve()
            } catch {
                let gaveUp = !process.isRunning && process.log.contains("no connection to the database")
                guard gaveUp, ContinuousClock.now < late else { throw error }
            }
        }
    }

    /// Ends a daemon in order and starts another program in its place. Returns the exit status of the first one.
    func exchange(_ daemon: Int, for program: String) async throws -> Int32 {
        signal(SIGTERM, daemon)
        let status = try await end(daemon)
        programs.withLock { $0[daemon] = program }
        try await start(daemon)
        return status
    }

    private func program(_ daemon: Int) -> String { programs.withLock { $0[daemon] } }

    /// Sends a signal to a daemon.
    func signal(_ number: Int32, _ daemon: Int) { process(daemon)?.signal(number) }

    /// Waits until a daemon has ended; returns its exit status.
    @discardableResult
    func end(_ daemon: Int) async throws -> Int32 {
        guard let process = process(daemon) else { return 0 }
        let status = try await process.end()
        processes.withLock { $0[daemon] = nil }
        return status
    }

    /// Daemons that ended by themselves, with the end of their logs.
    var ended: [(daemon: Int, log: String)] {
        home.daemons.indices.compactMap { daemon in
            guard let process = process(daemon), !process.isRunning else { return nil }
            return (daemon, process.log)
        }
    }

    func log(_ daemon: Int) -> String { process(daemon)?.log ?? "" }

    private func process(_ daemon: Int) -> DaemonProcess? { processes.withLock { $0[daemon] } }

    /// Runs `assayd` in the network of a daemon, to its end.
    ///
    /// - Parameter program: `nil`: the daemon's.
    func run(
        _ arguments: [String], as daemon: Int, program other: String? = nil
    ) async throws -> (status: Int32, words: String) {
        let command = (namespaces.isEmpty ? [] : namespaces[daemon].prefix) + [other ?? program(daemon)] + arguments
        let process = try DaemonProcess(command[0], Array(command.dropFirst()), in: home, as: daemon)
        let status = try await process.end()
        return (status, try process.output() + process.log)
    }

    // MARK: The end

    var folders: String { ([home.folder] + [databases.primary, databases.standby].map(\.folder.path)).joined(separator: " ") }

    /// Ends everything, and removes it.
    func remove() {
        endProcesses()
        databases.remove()
        for namespace in namespaces { namespace.remove() }
        home.remove()
        reaper.release()
    }

    /// Ends everything, and keeps the folders.
    func keep() {
        endProcesses()
        databases.keep()
        for namespace in namespaces { namespace.remove() }
        reaper.release()
    }

    private func endProcesses() {
        for daemon in home.daemons.indices {
            signal(SIGKILL, daemon)
            signal(SIGCONT, daemon)
        }
    }
}
