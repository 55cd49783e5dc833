import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import AssayPostgres

@Suite("Opening a ledger on PostgreSQL", .needsServer, .serialized)
struct OpeningTests {
    private func words(_ settings: PostgresSettings) -> String {
        do throws(LedgerError) {
            try PostgresLedger.open(settings).close()
            return "it opens"
        } catch {
            return "\(error)"
        }
    }

    @Test("Daemons that start at once on an empty database make one ledger")
    func together() async throws {
        let settings = try server().database()
        let ledgers = try await withThrowingTaskGroup(of: PostgresLedger.self) { group in
            for number in 0..<6 {
                group.addTask {
                    // A thread for each, so that they do not wait for each other here.
                    try await withCheckedThrowingContinuation { waiter in
                        Thread.detachNewThread {
                            waiter.resume(with: Result { try PostgresLedger.open(settings.writer("w\(number)")) })
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        defer { for ledger in ledgers { ledger.close() } }
        let numbers = Set(ledgers.map(\.number))
        #expect(numbers.count == 6)
        for ledger in ledgers { #expect(try await ledger.commit([try Sample.entry()]) == [.committed]) }
        #expect(try settings.text("SELECT value::text FROM meta WHERE name = 'schema'") == "\(Schema.newest)")
    }

    @Test("A ledger keeps all records across a restart, and the audit chain continues")
    func restart() async throws {
        let settings = try server().database()
        let (device, spend) = (try Sample.device(), Sample.spend())
        let first = try PostgresLedger.open(settings)
        _ = try await first.commit([
            try Sample.entry(spends: [spend], registrations: [device]),
            try Sample.entry(advances: [Sample.advance(device, to: 9)]),
        ])
        let before = try await first.status()
        first.close()
        let second = try PostgresLedger.open(settings)
        defer { second.close() }
        #expect(try await second.status() == before)
        #expect(try await second.device(device.key)?.counter == 9)
        let next = try Sample.entry()
        let outcomes = try await second.commit([
            try Sample.entry(spends: [spend]), try Sample.entry(advances: [Sample.advance(device, to: 9)]), next,
        ])
        #expect(outcomes == [.refused(.challengeReused), .refused(.counterNotIncreasing), .committed])
        let head = AuditChain(number: before.auditCount, head: before.auditHead).appending(next.audit.bytes, at: next.time).head
        #expect(try await second.status().auditHead == head)
    }

    @Test("A missing ledger is not made where that is not allowed")
    func missing() throws {
        let settings = try server().database()
        var options = PostgresOptions()
        options.mayCreate = false
        #expect(throws: LedgerError.self) { try PostgresLedger.open(settings, options: options) }
        #expect(!PostgresBackend(settings).exists)
        try PostgresLedger.open(settings).close()
        #expect(PostgresBackend(settings).exists)
        try PostgresLedger.open(settings, options: options).close()
    }

    @Test("A newer schema is used as long as it allows it, and refused with both versions after that")
    func newerSchema() throws {
        let settings = try server().database()
        try PostgresLedger.open(settings).close()
        _ = try settings.text("UPDATE meta SET value = 7 WHERE name = 'schema'")
        #expect(words(settings) == "it opens")
        _ = try settings.text("UPDATE meta SET value = 6 WHERE name = 'oldest'")
        #expect(words(settings).contains("the ledger has schema version 7, which needs a version of Assay that knows 6"))
    }

    @Test("A missing database, user and host are told apart")
    func refused() throws {
        let settings = try server().database()
        var other = settings
        other.database = "absent"
        #expect(words(other).contains("database \"absent\" does not exist"))
        other = settings
        other.user = "absent"
        #expect(words(other).contains("role \"absent\" does not exist"))
        other = settings
        other.hosts = [.init("/tmp/assay-absent")]
        #expect(words(other).contains("No such file or directory"))
        // The first host that accepts writes is used.
        other.hosts += settings.hosts
        #expect(words(other) == "it opens")
        other.hosts = [.init("")]
        #expect(words(other) == "the ledger is unavailable: a host has no name, or a comma in it")
        other = settings
        other.writer = "Name With Spaces"
        #expect(words(other).contains("is no name of a writer"))
    }

    @Test("A password comes from its file only, and is in no error")
    func password() throws {
        let server = try server()
        let settings = try server.database()
        let admin = try server.psql(settings.database)
        _ = try admin.query(.once("CREATE ROLE \(settings.database) LOGIN PASSWORD 'right one'"), within: 10_000)
        _ = try admin.query(.once("GRANT ALL ON DATABASE \(settings.database) TO \(settings.database)"), within: 10_000)
        var remote = settings
        remote.hosts = [.init("127.0.0.1", port: server.port)]
        remote.user = settings.database
        // libpq would take these from the environment.
        for (name, value) in [("PGPASSWORD", "right one"), ("PGOPTIONS", "-c fsync=off"), ("PGSSLMODE", "require")] {
            setenv(name, value, 1)
        }
        defer { for name in ["PGPASSWORD", "PGOPTIONS", "PGSSLMODE"] { unsetenv(name) } }
        #expect(words(remote).contains("no password supplied"))
        let file = server.folder.appending(path: "password-\(UInt32.random(in: 0...(.max)))").path
        remote.passwordFile = file
        #expect(words(remote).contains("the password file \(file) cannot be read"))
        func write(_ text: String, mode: Int) throws {
            try text.write(toFile: file, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        }
        try write("right one\n", mode: 0o644)
        #expect(words(remote).contains("set its mode to 0600"))
        if getuid() == 0 {
            // Root's, and readable by a group: as secrets of systemd and Kubernetes are.
            try write("right one\n", mode: 0o444)
            #expect(words(remote).contains("set its mode to 0600"))
            try write("right one\n", mode: 0o440)
            #expect(words(remote) == "it opens")
        }
        try write("\n", mode: 0o600)
        #expect(words(remote).contains("holds no password"))
        try write("wrong 'one\\", mode: 0o600)
        #expect(words(remote).contains("password authentication failed"))
        #expect(!words(remote).contains("wrong"))
        try write("right one\n", mode: 0o600)
        #expect(words(remote) == "it opens")
        #expect(!"\(remote)".contains("right one"))
        // The server has no TLS.
        remote.tls = .verified(roots: "/etc/ssl/certs/ca-certificates.crt")
        #expect(words(remote).contains("server does not support SSL"))
    }

    @Test(
        "Over TLS the server's certificate must be of the named root and for its name, and a client's takes the place of a password"
    )
    func certificates() throws {
        let own = try TestServer.ownServer()
        defer { own.remove() }
        let files = try own.serveTLS()
        var remote = try own.database()
        (remote.user, remote.hosts) = ("certified", [.init("localhost", port: own.port)])
        remote.tls = .verified(roots: files.root, client: files.client)
        #expect(words(remote) == "it opens")
        remote.tls = .verified(roots: files.root)
        #expect(words(remote).contains("client certificate"))
        remote.tls = .verified(roots: files.otherRoot, client: files.client)
        #expect(words(remote).contains("certificate verify failed"))
        remote.tls = .verified(roots: files.root, client: files.client)
        remote.hosts = [.init("127.0.0.1", port: own.port)]
        #expect(words(remote).contains("host name"))
        remote.tls = .off
        #expect(words(remote) != "it opens", "the user logs in over TLS alone")
    }

    @Test("A server without a durable disk, or without the standby that is required, is refused")
    func unsafe() throws {
        let own = try TestServer.ownServer()
        defer { own.remove() }
        var settings = try own.database()
        try own.set("fsync", to: "off")
        #expect(words(settings).contains("fsync=off"))
        try own.set("fsync", to: nil)
        try own.set("full_page_writes", to: "off")
        #expect(words(settings).contains("full_page_writes=off"))
        try own.set("full_page_writes", to: nil)
        settings.requiresStandby = true
        #expect(words(settings).contains("synchronous_standby_names is empty"))
        settings.requiresStandby = false
        #expect(words(settings) == "it opens")
        _ = try own.psql("postgres").query(
            .once("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"), within: 60_000)
        #expect(words(own.settings("latin")).contains("ENCODING 'UTF8'"))
    }

    @Test("A server that gives snapshots in place of READ COMMITTED is refused")
    func isolation() throws {
        let settings = try server().database()
        try PostgresLedger.open(settings).close()
        let check = ServerCheck(settings)
        let (one, two) = (try check.connect(), try check.connect())
        try IsolationCheck.run(one, two, within: 60_000)
        #expect(throws: PostgresError.self) { try IsolationCheck.run(one, two, level: "REPEATABLE READ", within: 60_000) }
        try IsolationCheck.run(one, two, within: 60_000)
    }

    @Test("COMMIT of a failed transaction is a failure, although the server calls it none")
    func rolledBack() throws {
        let connection = try server().psql("postgres")
        #expect(throws: PostgresError.self) { try connection.run([.once("BEGIN"), .once("SELECT 1 / 0")], within: 60_000) }
        #expect(throws: PostgresError(.server("40000"), "the server rolled the transaction back")) {
            try connection.commit(within: 60_000)
        }
        #expect(!connection.isInTransaction && connection.isUsable)
    }

    @Test("A call that takes too long ends at its deadline, and its connection is not used again")
    func deadline() throws {
        let connection = try server().psql("postgres")
        let began = ContinuousClock.now
        #expect(throws: PostgresError(.deadline, "no answer in time")) {
            try connection.query(.once("SELECT pg_sleep(600)"), within: 200)
        }
        #expect(ContinuousClock.now - began < .seconds(300), "it did not wait for the answer")
        #expect(throws: PostgresError(.connection, "the connection has ended")) {
            try connection.query(.once("SELECT 1"), within: 200)
        }
    }

    @Test("Values and results of many megabytes pass in one trip")
    func largeTrip() throws {
        let connection = try server().psql("postgres")
        let bytes = SecureRandom.bytes(3 << 20)
        let statements = (0..<8).map { _ in SQLStatement("SELECT $1::bytea", .bytes(bytes)) }
        let results = try connection.run(statements, within: 120_000)
        #expect(try results.allSatisfy { try $0.first { $0.bytes(0) } == bytes })
    }

    @Test("The audit log is read beside a daemon")
    func readAudit() async throws {
        let settings = try server().database()
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        _ = try await ledger.commit((0..<5).map { _ in try Sample.entry() })
        var numbers: [Int64] = []
        try PostgresBackend(settings).readAudit { page in
            numbers += page.rows.map(\.number)
            return true
        }
        #expect(numbers == [1, 2, 3, 4, 5])
        #expect(throws: LedgerError.self) { try PostgresBackend(settings.writer("absent")).readAudit { _ in true } }
    }

    @Test("A writer without a name is never a writer of a database", arguments: ["", "W", "a/b", "a b"])
    func names(_ name: String) async throws {
        let settings = try server().database()
        #expect(words(settings.writer(name)).contains("is no name of a writer"))
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        _ = try settings.text(
            "INSERT INTO writers (name, epoch, head, start_head) VALUES ('\(name)', 0, '', '') RETURNING ''")
        await #expect(throws: LedgerError.self, "a row with such a name is damage") { try await ledger.status() }
        #expect(throws: LedgerError.self) { try PostgresBackend(settings).auditEnds() }
        #expect(try await ledger.audit(of: .only, from: 1, limit: 1) == nil)
    }
}
