import AssayCore
import AssayTesting
import Foundation
import Synchronization
import Testing

@testable import AssayPostgres

/// A PostgreSQL server of the tests' own, in a temporary folder, reached by a Unix socket there. It runs as an unprivileged user,
/// because the server refuses to run as root, and ends with the tests.
final class TestServer: Sendable {
    let folder: URL
    let binaries: String
    /// On the loopback address and in the name of the socket.
    let port: UInt16
    private let number = Atomic(0)
    private let pid = Mutex<pid_t?>(nil)
    private let sharedDatabase = Mutex<String?>(nil)

    /// Those that run, which end with the process.
    private static let running = Mutex<[TestServer]>([])
    private static let atExit: Void = {
        _ = atexit { for server in TestServer.running.withLock({ $0 }) { server.remove() } }
    }()

    /// The folder of the server's programs; `nil` on a machine without them.
    static let programs: String? = findBinaries()

    /// The server of the suites.
    static let shared = Result {
        let server = try TestServer(binaries: try #require(programs))
        try server.start()
        return server
    }

    /// Debian keeps the server's programs of each version in a folder of their own.
    private static func findBinaries() -> String? {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap { Int($0) }.filter { $0 >= 14 }.max()
        let folders = [newest.map { "\(root)/\($0)/bin" }, "/usr/local/bin", "/usr/bin"].compactMap(\.self)
        return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }

    convenience init(binaries: String) throws {
        try self.init(folderFor: binaries)
        try execute(
            "initdb",
            [
                "-D", data, "-U", "owner", "-E", "UTF8", "--locale=C", "--no-sync", "--auth-local=trust",
                "--auth-host=scram-sha-256",
            ])
        try configure()
    }

    /// A folder without a server's data.
    private init(folderFor binaries: String) throws {
        self.binaries = binaries
        port = try Self.freePort()
        // Short, because the path of a socket has at most 107 bytes.
        folder = URL(filePath: "/tmp/assay-pg-\(UInt32.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        try FileManager.default.createDirectory(at: folder.appending(path: "s"), withIntermediateDirectories: false)
        if geteuid() == 0 { try Self.run("/bin/chown", ["-R", Self.user, folder.path]) }
    }

    private func configure() throws {
        let settings = """
            listen_addresses = '127.0.0.1'
            port = \(port)
            unix_socket_directories = '\(socketFolder)'
            fsync = on
            max_connections = 300
            shared_buffers = 64MB
            log_min_messages = fatal
            """
        let file = folder.appending(path: "extra.conf")
        try settings.write(to: file, atomically: true, encoding: .utf8)
        let main = URL(filePath: data + "/postgresql.conf")
        let handle = try FileHandle(forWritingTo: main)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("include '\(file.path)'\n".utf8))
        try handle.close()
    }

    var data: String { folder.appending(path: "data").path }
    var socketFolder: String { folder.appending(path: "s").path }

    /// A user that is not root: Debian's package makes it.
    private static let user = "postgres"

    /// Starts the server and waits until it accepts connections.
    func start() throws {
        _ = Self.atExit
        Self.running.withLock { running in if !running.contains(where: { $0 === self }) { running.append(self) } }
        let (program, arguments) = command("postgres", ["-D", data, "-p", "\(port)", "-k", socketFolder])
        let started = try Self.spawn(program, arguments)
        pid.withLock { $0 = started }
        for _ in 0..<600 {
            if (try? psql("postgres")) != nil { return }
            var status: Int32 = 0
            guard waitpid(started, &status, WNOHANG) == 0 else {
                throw Failure(description: "postgres ended with status \(status)")
            }
            usleep(100_000)
        }
        throw Failure(description: "postgres accepts no connections")
    }

    /// - Parameter signal: SIGINT ends it orderly, SIGQUIT like a crash.
    func stop(_ signal: Int32 = SIGINT) {
        let running = pid.withLock { pid in
            defer { pid = nil }
            return pid
        }
        guard let running else { return }
        kill(running, signal)
        var status: Int32 = 0
        while waitpid(running, &status, 0) < 0, errno == EINTR {}
    }

    func remove() {
        stop(SIGQUIT)
        Self.running.withLock { running in running.removeAll { $0 === self } }
        try? FileManager.default.removeItem(at: folder)
    }

    /// The command that runs a program of the server, as the unprivileged user where this process is root.
    private func command(_ program: String, _ arguments: [String]) -> (String, [String]) {
        let path = binaries + "/" + program
        guard geteuid() == 0 else { return (path, arguments) }
        return ("/usr/bin/setpriv", ["--reuid=\(Self.user)", "--regid=\(Self.user)", "--init-groups", path] + arguments)
    }

    private func execute(_ program: String, _ arguments: [String]) throws {
        let (program, arguments) = command(program, arguments)
        try Self.run(program, arguments)
    }

    /// A port that was free a moment ago.
    static func freePort() throws -> UInt16 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.baseAddress.map { base in
                let address = base.assumingMemoryBound(to: sockaddr.self)
                return bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
            }
        }
        guard bound == true else { throw Failure(description: "no free port") }
        return UInt16(bigEndian: address.sin_port)
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private static func run(_ path: String, _ arguments: [String]) throws {
        let child = try spawn(path, arguments)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else {
            throw Failure(description: "\(path) \(arguments.joined(separator: " ")): status \(status)")
        }
    }

    /// Foundation's `Process` waits for all that inherit its files, the server included.
    private static func spawn(_ path: String, _ arguments: [String]) throws -> pid_t {
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
        guard code == 0 else { throw Failure(description: "\(path) cannot be started: error \(code)") }
        return child
    }

    /// A server for one suite, which stops it and changes its settings.
    static func ownServer() throws -> TestServer {
        let server = try TestServer(binaries: try #require(programs))
        try server.start()
        return server
    }

    /// Changes a setting of the server; `nil` resets it.
    func set(_ name: String, to value: String?) throws {
        let change = value.map { "SET \(name) = '\($0)'" } ?? "RESET \(name)"
        let connection = try psql("postgres")
        _ = try connection.query(.once("SET synchronous_commit = local"), within: 10_000)
        _ = try connection.query(.once("SET default_transaction_read_only = off"), within: 10_000)
        _ = try connection.query(.once("ALTER SYSTEM \(change)"), within: 10_000)
        _ = try connection.query(.once("SELECT pg_reload_conf()"), within: 10_000)
        // Each backend reads the settings again a moment later.
        usleep(300_000)
    }

    // MARK: Standby servers

    /// A standby of this server, which follows it.
    func standby() throws -> TestServer {
        let standby = try TestServer(folderFor: binaries)
        let source = "host=\(socketFolder) port=\(port) user=owner"
        try standby.execute(
            "pg_basebackup", ["-d", source, "-D", standby.data, "-R", "-X", "stream", "-c", "fast", "--no-sync"])
        try standby.start()
        return standby
    }

    /// Makes a standby the primary.
    func promote() throws { try execute("pg_ctl", ["promote", "-w", "-D", data]) }

    /// Ends all processes of the server by SIGKILL.
    func killAll() throws {
        guard let server = pid.withLock({ $0 }) else { return }
        // It would begin others in their place.
        kill(server, SIGSTOP)
        for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            guard let process = pid_t(entry), let status = FileManager.default.contents(atPath: "/proc/\(entry)/status") else {
                continue
            }
            let isChild = String(decoding: status, as: UTF8.self).split(separator: "\n").contains("PPid:\t\(server)")
            if isChild { kill(process, SIGKILL) }
        }
        stop(SIGKILL)
    }

    // MARK: TLS

    /// Files of an authority, and of a client that it certifies as `certified`, a user of the server.
    struct TLSFiles {
        let root: String
        let otherRoot: String
        let client: PostgresSettings.ClientCertificate
    }

    /// Lets the server show a certificate for `localhost`, and the user `certified` log in by one.
    func serveTLS() throws -> TLSFiles {
        func path(_ name: String) -> String { folder.appending(path: name).path }
        func openssl(_ words: String) throws { try Self.run("/usr/bin/openssl", words.split(separator: " ").map(String.init)) }
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        for name in ["root", "other"] {
            try openssl("req -x509 \(key) -days 2 -subj /CN=\(name) -keyout \(path("\(name).key")) -out \(path("\(name).pem"))")
        }
        try "subjectAltName=DNS:localhost\n".write(toFile: path("names"), atomically: true, encoding: .utf8)
        for (name, subject) in [("server", "server"), ("client", "certified")] {
            try openssl("req \(key) -subj /CN=\(subject) -keyout \(path("\(name).key")) -out \(path("\(name).csr"))")
            try openssl(
                "x509 -req -in \(path("\(name).csr")) -CA \(path("root.pem")) -CAkey \(path("root.key")) -CAcreateserial -days 2 "
                    + "-extfile \(path("names")) -out \(path("\(name).pem"))")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path("\(name).key"))
        }
        if geteuid() == 0 { try Self.run("/bin/chown", [Self.user, path("server.key")]) }
        let rules = URL(filePath: data + "/pg_hba.conf")
        let others = try String(contentsOf: rules, encoding: .utf8)
        try Data(("hostssl all certified 127.0.0.1/32 cert\n" + others).utf8).write(to: rules)
        if geteuid() == 0 { try Self.run("/bin/chown", [Self.user, rules.path]) }
        _ = try psql("postgres").query(.once("CREATE ROLE certified LOGIN SUPERUSER"), within: 10_000)
        for (name, file) in [("ssl_cert_file", "server.pem"), ("ssl_key_file", "server.key"), ("ssl_ca_file", "root.pem")] {
            try set(name, to: path(file))
        }
        try set("ssl", to: "on")
        return TLSFiles(
            root: path("root.pem"), otherRoot: path("other.pem"),
            client: PostgresSettings.ClientCertificate(certificate: path("client.pem"), key: path("client.key")))
    }

    // MARK: Databases

    /// The settings of a database that was made for one test.
    func database(writer: String = "one") throws -> PostgresSettings {
        let name = "t\(number.add(1, ordering: .relaxed).newValue)_\(UInt32.random(in: 0...(.max)))"
        _ = try psql("postgres").query(.once("CREATE DATABASE \(name)"), within: 60_000)
        return settings(name, writer: writer)
    }

    /// The settings of a schema of its own in a database that many tests share, which is made sooner than a database.
    func schema(writer: String = "one") throws -> PostgresSettings {
        let shared = try sharedDatabase.withLock { name in
            if let name { return name }
            let made = try database().database
            name = made
            return made
        }
        var settings = settings(shared, writer: writer)
        settings.schema = "s\(number.add(1, ordering: .relaxed).newValue)"
        return settings
    }

    func settings(_ database: String, writer: String = "one", user: String = "owner") -> PostgresSettings {
        PostgresSettings(hosts: [.init(socketFolder, port: port)], database: database, user: user, tls: .off, writer: writer)
    }

    /// A connection of the test's own.
    func psql(_ database: String) throws -> PostgresConnection {
        var settings = settings(database)
        settings.sessions = "any"
        return try PostgresConnection(settings)
    }
}

extension PostgresSettings {
    /// The same database for another daemon.
    func writer(_ name: String) -> PostgresSettings {
        var other = self
        other.writer = name
        return other
    }

    /// The text of one value.
    func text(_ sql: String) throws -> String {
        let connection = try PostgresConnection(self)
        let rows = try connection.run(
            [.once("SELECT set_config('search_path', '\"\(schema)\"', false)"), .once(sql)], within: 60_000)
        return try rows.last?.first { $0.text(0) } ?? ""
    }
}

/// Tests that need a server are skipped where there is none.
extension Trait where Self == ConditionTrait {
    static var needsServer: Self {
        .enabled(if: TestServer.programs != nil, "there is no PostgreSQL server here (initdb): install the package postgresql")
    }
}

func server() throws -> TestServer { try TestServer.shared.get() }
