import Foundation

/// The daemons and the database that rows measure, each started when a row first asks for it.
final class TableStage {
    private let executable: String
    private let wrapper: [String]
    private var file: DaemonProcess?
    private var shared: Shared?

    /// Daemons on a PostgreSQL database.
    struct Shared {
        let database: LedgerDatabase
        let daemon: DaemonProcess
        /// Prepares what `daemon` must not have cached.
        let other: DaemonProcess
    }

    /// - Parameter wrapper: a program that runs the daemon whose ledger is a file, and its arguments.
    init(executable: String, under wrapper: [String] = []) { (self.executable, self.wrapper) = (executable, wrapper) }

    /// The daemon whose ledger is a file. It takes every kind of evidence, and issues certificates.
    func daemon() throws -> DaemonProcess {
        if let file { return file }
        var configuration = DaemonConfiguration(certifies: true, takesAndroid: true)
        // A wrapper slows it down.
        configuration.recordsAsInFlood = !wrapper.isEmpty
        let daemon = try DaemonProcess(executable: executable, configuration, under: wrapper)
        file = daemon
        // Under Valgrind it reads its own symbols first.
        try daemon.waitForAnswer(.seconds(wrapper.isEmpty ? 120 : 900))
        return daemon
    }

    /// The daemons on PostgreSQL, and their server.
    func sharing() async throws -> Shared {
        if let shared { return shared }
        let database = try LedgerDatabase()
        let daemons: [DaemonProcess]
        do {
            daemons = try await database.start(2, executable: executable, DaemonConfiguration(acceptsImported: true))
        } catch {
            database.remove()
            throw error
        }
        let made = Shared(database: database, daemon: daemons[0], other: daemons[1])
        shared = made
        return made
    }

    func stop() {
        file?.stop()
        if let shared {
            shared.daemon.stop()
            shared.other.stop()
            shared.database.remove()
        }
        (file, shared) = (nil, nil)
    }
}
