import AssayTesting
import Foundation
import Synchronization
import Testing

@testable import AssayPostgres

typealias TestServer = PostgresServer

/// Databases, connections and settings of a server for these tests.
extension PostgresServer {
    private static let number = Atomic(0)
    /// By the server's port.
    private static let sharedDatabases = Mutex<[UInt16: String]>([:])

    /// The server of the suites.
    static let shared = Result {
        let server = try PostgresServer(binaries: try #require(programs), in: memory)
        try server.start()
        return server
    }

    /// A server for one suite, which stops it and changes its settings.
    static func ownServer() throws -> TestServer {
        let server = try TestServer(binaries: try #require(programs), in: memory)
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
        func openssl(_ words: String) throws {
            try TestProgram.run("/usr/bin/openssl", words.split(separator: " ").map(String.init))
        }
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
        try give(path("server.key"))
        let rules = URL(filePath: data + "/pg_hba.conf")
        let others = try String(contentsOf: rules, encoding: .utf8)
        try Data(("hostssl all certified 127.0.0.1/32 cert\n" + others).utf8).write(to: rules)
        try give(rules.path)
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
        let name = "t\(Self.number.add(1, ordering: .relaxed).newValue)_\(UInt32.random(in: 0...(.max)))"
        _ = try psql("postgres").query(.once("CREATE DATABASE \(name)"), within: 60_000)
        return settings(name, writer: writer)
    }

    /// The settings of a schema of its own in a database that many tests share, which is made sooner than a database.
    func schema(writer: String = "one") throws -> PostgresSettings {
        let shared = try Self.sharedDatabases.withLock { names in
            if let name = names[port] { return name }
            let made = try database().database
            names[port] = made
            return made
        }
        var settings = settings(shared, writer: writer)
        settings.schema = "s\(Self.number.add(1, ordering: .relaxed).newValue)"
        return settings
    }

    func settings(_ database: String, writer: String = "one", user: String = "owner") -> PostgresSettings {
        var settings = PostgresSettings(
            hosts: [.init(socketFolder, port: port)], database: database, user: user, tls: .off, writer: writer)
        // A busy machine may be slow: what is to fail in time sets the time itself.
        settings.connectTimeout = 20
        (settings.lockTimeout, settings.commitTimeout, settings.readTimeout) = (10_000, 20_000, 20_000)
        return settings
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
