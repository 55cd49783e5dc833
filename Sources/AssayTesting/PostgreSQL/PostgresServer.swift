public import Foundation
import Synchronization

/// A PostgreSQL server for tests and benchmarks, in a temporary folder, reached by a Unix socket there and at the loopback address. It
/// runs as an unprivileged user, because the server refuses to run as root, and ends with this process.
public final class PostgresServer: Sendable {
    public let folder: URL
    /// The folder of the server's programs.
    package let binaries: String
    /// On the loopback address and in the name of the socket.
    public let port: UInt16
    private let pid = Mutex<pid_t?>(nil)

    /// Those that run, which end with the process.
    private static let running = Mutex<[PostgresServer]>([])
    private static let atExit: Void = {
        _ = atexit { for server in PostgresServer.running.withLock({ $0 }) { server.remove() } }
    }()

    /// The folder of the newest server's programs, of version 14 or later; `nil` on a machine without them.
    public static let programs: String? = {
        // Debian keeps the programs of each version in a folder of their own.
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap { Int($0) }.filter { $0 >= 14 }.max()
        let folders = [newest.map { "\(root)/\($0)/bin" }, "/usr/local/bin", "/usr/bin"].compactMap(\.self)
        return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    /// A folder in memory where there is enough, otherwise that of temporary files. A server there waits for no disk, which matters to what
    /// measures it, and to nothing else: what a process has written stays when it is killed, on a disk or not.
    public static var memory: String {
        var system = statvfs()
        guard statvfs("/dev/shm", &system) == 0 else { return "/tmp" }
        return UInt64(system.f_bavail) * UInt64(system.f_frsize) >= 4 << 30 ? "/dev/shm" : "/tmp"
    }

    /// Makes a server's folder with an empty cluster, whose superuser is `owner`.
    ///
    /// - Parameters:
    ///   - parent: the folder that it is made in, of a short path. Those of its standby servers are made there, too.
    ///   - prepare: what is done with the empty folder before, for example to mount a file system there.
    /// - Throws: ``Failure``, and what `prepare` throws.
    public convenience init(binaries: String, in parent: String = "/tmp", prepare: (String) throws -> Void = { _ in }) throws {
        try self.init(folderFor: binaries, in: parent, prepare)
        try execute(
            "initdb",
            [
                "-D", data, "-U", "owner", "-E", "UTF8", "--locale=C", "--no-sync", "--auth-local=trust",
                "--auth-host=scram-sha-256",
            ])
        try configure(
            """
            listen_addresses = '127.0.0.1'
            port = \(port)
            unix_socket_directories = '\(socketFolder)'
            fsync = on
            max_connections = 300
            shared_buffers = 64MB
            dynamic_shared_memory_type = mmap
            log_min_messages = fatal
            """)
    }

    /// A folder without a server's data.
    private init(folderFor binaries: String, in parent: String, _ prepare: (String) throws -> Void) throws {
        self.binaries = binaries
        port = try Self.freePort()
        // Short, because the path of a socket has at most 107 bytes.
        folder = URL(filePath: "\(parent)/assay-pg-\(UInt32.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        try prepare(folder.path)
        try FileManager.default.createDirectory(at: folder.appending(path: "s"), withIntermediateDirectories: false)
        try give(folder.path)
    }

    /// Adds settings to the cluster's configuration, which later ones of the same name override. They hold from the next start, or
    /// ``reload()``.
    public func configure(_ settings: String) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: data + "/postgresql.conf"))
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data((settings + "\n").utf8))
    }

    package var data: String { folder.appending(path: "data").path }
    public var socketFolder: String { folder.appending(path: "s").path }

    /// Gives a file or folder to the user that the server runs as.
    public func give(_ path: String) throws {
        if geteuid() == 0 { try TestProgram.run("/bin/chown", ["-R", TestProgram.user, path]) }
    }

    // MARK: Life

    /// The server's first process; `nil` while it does not run.
    public var processID: pid_t? { pid.withLock { $0 } }

    /// Starts the server and waits until it accepts connections.
    ///
    /// - Throws: ``Failure`` if it ends, or accepts none for a minute.
    public func start() throws {
        try launch()
        try waitUntilReady()
    }

    /// Waits until the server accepts connections.
    ///
    /// - Throws: ``Failure`` if it ends, or accepts none for a minute.
    package func waitUntilReady() throws {
        for _ in 0..<1200 {
            if (try? execute("pg_isready", ["-q", "-h", socketFolder, "-p", "\(port)"])) != nil { return }
            guard isRunning else { throw Failure(description: "postgres ended") }
            usleep(50_000)
        }
        throw Failure(description: "postgres accepts no connections")
    }

    /// Starts the server without waiting for it.
    package func launch() throws {
        _ = Self.atExit
        Self.running.withLock { running in if !running.contains(where: { $0 === self }) { running.append(self) } }
        let started = try TestProgram.spawn(
            binaries + "/postgres", ["-D", data, "-p", "\(port)", "-k", socketFolder])
        pid.withLock { $0 = started }
    }

    /// Lets the server read its configuration again.
    public func reload() {
        if let processID { kill(processID, SIGHUP) }
    }

    /// - Parameter signal: SIGINT ends it orderly, SIGQUIT like a crash.
    package func stop(_ signal: Int32 = SIGINT) {
        let running = pid.withLock { pid in
            defer { pid = nil }
            return pid
        }
        guard let running else { return }
        kill(running, signal)
        var status: Int32 = 0
        while waitpid(running, &status, 0) < 0, errno == EINTR {}
    }

    /// Whether the first process is there.
    package var isRunning: Bool {
        pid.withLock { pid in
            guard let process = pid else { return false }
            var status: Int32 = 0
            if waitpid(process, &status, WNOHANG) == process { pid = nil }
            return pid != nil
        }
    }

    /// Ends the server and leaves its folder.
    package func keep() {
        stop(SIGQUIT)
        removeSegment()
        Self.running.withLock { running in running.removeAll { $0 === self } }
    }

    /// The identifier of the System V shared memory by which a server knows that another one has its folder; `nil` if no server has it, or had it
    /// when it was killed.
    package var segment: Int32? {
        guard let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8) else { return nil }
        // The seventh line: key and identifier.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count < 7 ? nil : lines[6].split(separator: " ").last.flatMap { Int32($0) }
    }

    /// Removes that memory, which a server that was killed leaves behind. All else that it leaves is in its folder.
    private func removeSegment() {
        if let segment { shmctl(segment, IPC_RMID, nil) }
    }

    /// Ends the server and removes its folder.
    public func remove() {
        keep()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The processes that the first one started.
    public func children() throws -> [pid_t] {
        guard let server = processID else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { entry in
            guard let process = pid_t(entry), let status = FileManager.default.contents(atPath: "/proc/\(entry)/status") else {
                return nil
            }
            let isChild = String(decoding: status, as: UTF8.self).split(separator: "\n").contains("PPid:\t\(server)")
            return isChild ? process : nil
        }
    }

    /// Ends all processes of the server by SIGKILL.
    package func killAll() throws {
        guard let server = processID else { return }
        // It would begin others in their place.
        kill(server, SIGSTOP)
        for child in try children() { kill(child, SIGKILL) }
        stop(SIGKILL)
    }

    // MARK: Standby servers

    /// A standby of this server, which follows it.
    ///
    /// - Parameters:
    ///   - name: what `synchronous_standby_names` knows it by.
    ///   - prepare: what is done with its empty folder before.
    public func standby(
        name: String = "walreceiver", prepare: (String) throws -> Void = { _ in }
    ) throws -> PostgresServer {
        let standby = try PostgresServer(folderFor: binaries, in: folder.deletingLastPathComponent().path, prepare)
        try standby.copy(self, name: name)
        try standby.start()
        return standby
    }

    /// Makes this server's data, of which there must be none, a copy of another's that follows it once it is started.
    package func copy(_ primary: PostgresServer, name: String) throws {
        let source = "host=\(primary.socketFolder) port=\(primary.port) user=owner application_name=\(name)"
        try execute("pg_basebackup", ["-d", source, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"])
    }

    /// Makes a standby the primary.
    package func promote() throws { try execute("pg_ctl", ["promote", "-w", "-D", data]) }

    /// Runs a program of the server as its user.
    package func execute(_ program: String, _ arguments: [String]) throws {
        let (path, arguments) = TestProgram.command(binaries + "/" + program, arguments)
        try TestProgram.run(path, arguments)
    }

    // MARK: Statements

    /// Runs statements as the superuser, by the socket.
    ///
    /// - Parameter sql: one statement, or several in one transaction.
    /// - Throws: ``Failure``
    public func run(_ sql: String, in database: String = "postgres") throws {
        try psql(["-c", sql], in: database)
    }

    /// The rows that a query returns, each value as text and NULL as an empty one. It is run as the superuser, by the socket.
    ///
    /// - Throws: ``Failure``, and an error of a file.
    public func rows(_ query: String, in database: String = "postgres") throws -> [[String]] {
        let answer = folder.appending(path: "answer-\(UInt32.random(in: 0...(.max)))")
        defer { try? FileManager.default.removeItem(at: answer) }
        // Values are separated by the character for that, which no value has.
        let separator = "\u{1F}"
        try psql(["-At", "-F", separator, "-o", answer.path, "-c", query], in: database)
        let lines = try String(contentsOf: answer, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        // Each line has an end, so the last piece is empty.
        return lines.dropLast().map { line in
            line.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
        }
    }

    private func psql(_ arguments: [String], in database: String) throws {
        let connection = ["-h", socketFolder, "-p", "\(port)", "-U", "owner", "-d", database]
        try execute("psql", ["-qX", "-v", "ON_ERROR_STOP=1"] + connection + arguments)
    }

    /// A free port that no other test of this machine gets until this process ends. It is below those that the kernel gives to connections and
    /// to those who bind none.
    public static func freePort() throws -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 15_000..<32_000)
            if MachineClaim.take("port-\(port)"), isFree(port) { return port }
        }
        throw Failure(description: "no free port")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }
}
