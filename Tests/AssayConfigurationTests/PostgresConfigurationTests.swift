import AssayConfiguration
import AssayCore
import AssayPostgres
import AssaySchemes
import Foundation
import Testing

@testable import DaemonTesting

@Suite("Configuration of a ledger on PostgreSQL")
struct PostgresConfigurationTests {
    private static let small = """
        listen: [{unix: a.sock}]
        store: {postgresql: {hosts: [localhost], database: assay, user: me, writer: one}, folder: own}
        callers: {known: [{name: me, unix_user: 0, roles: [verify], apps: all}]}
        apps: {photos: {app_attest: {identities: [{app_id: ABCDE12345.com.example}]}}}
        """

    private func parse(_ text: String) throws -> Configuration {
        try Configuration.parse(text, file: "a.yaml", folder: "/etc/assay")
    }

    private func problems(_ text: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration.parse(text, file: "a.yaml", folder: "/etc/assay")
            return []
        } catch {
            return error.problems.map { "\($0)" }
        }
    }

    @Test("Every key is read, paths relative to the configuration's folder, and the daemon's own files are in its folder")
    func reading() throws {
        let text = Self.small.replacing(
            "{hosts: [localhost], database: assay, user: me, writer: one}",
            with: """
                {hosts: [db.example.com, "db2.example.com:5433", "[2001:db8::1]:5434", /run/postgresql, "/run/pg:5435"], database: assay, user: me, \
                password_file: secret, ca: roots.pem, certificate: c.pem, key: k.pem, writer: two, schema: other, require_standby: true}
                """)
        let store = try parse(text).fixed.store
        guard case .postgresql(let settings, let folder) = store.place else {
            Issue.record("no database")
            return
        }
        #expect(
            settings.hosts == [
                .init("db.example.com"), .init("db2.example.com", port: 5433), .init("2001:db8::1", port: 5434),
                .init("/run/postgresql"), .init("/run/pg", port: 5435),
            ])
        #expect(settings.database == "assay" && settings.user == "me" && settings.writer == "two" && settings.schema == "other")
        #expect(settings.passwordFile == "/etc/assay/secret" && settings.requiresStandby)
        let client = PostgresSettings.ClientCertificate(certificate: "/etc/assay/c.pem", key: "/etc/assay/k.pem")
        #expect(settings.tls == .verified(roots: "/etc/assay/roots.pem", client: client))
        #expect(folder == "/etc/assay/own" && store.keyFile == "/etc/assay/own/assay.key")
        #expect(store.ratesFile == "/etc/assay/own/assay.rates" && store.file == nil)
        #expect(try parse(text).live.verdicts.file == "/etc/assay/own/verdicts.db")
        #expect(!store.name.contains("me") && store.name.contains("db2.example.com:5433"), "\(store.name)")
    }

    @Test("The writer has the machine's name, TLS is not needed on this machine, and a standby is not required")
    func defaults() throws {
        let store = try parse(Self.small).fixed.store
        guard case .postgresql(let settings, _) = store.place else {
            Issue.record("no database")
            return
        }
        #expect(settings.tls == .off && !settings.requiresStandby && settings.schema == "assay" && settings.passwordFile == nil)
        let named = problems(Self.small.replacing(", writer: one", with: ""))
        let host = ProcessInfo.processInfo.hostName.prefix { $0 != "." }.lowercased()
        #expect(named.isEmpty == PostgresSettings.isName(host), "\(named)")
    }

    @Test(
        "Each mistake is named",
        arguments: [
            ("writer: one", "writer: One", "store.postgresql.writer: a writer's name is of the form [a-z0-9._-]{1,64}"),
            ("writer: one", "writer: \"\"", "a writer's name is of the form"),
            ("writer: one", "schema: 'a\"b', writer: one", "a schema's name is of the form"),
            ("[localhost]", "[]", "store.postgresql.hosts: want at least one host"),
            ("[localhost]", "[\"a,b\"]", "want a host's name or address"),
            ("[localhost]", "[\"localhost:0\"]", "want a host's name or address"),
            ("[localhost]", "[\"localhost:99999\"]", "want a host's name or address"),
            ("[localhost]", "[\"/run/pg:x\"]", "want a host's name or address"),
            ("[localhost]", "[db.example.com]", "the connection to db.example.com would not be encrypted"),
            ("[localhost]", "[127.db.example.com]", "the connection to 127.db.example.com would not be encrypted"),
            ("user: me", "user: me, certificate: a", "\"certificate\" and \"key\" belong together"),
            ("user: me", "user: me, certificate: a, key: b", "it says nothing without \"ca\""),
            (", folder: own", "", "\"folder\" is missing"),
            ("folder: own", "folder: own, path: ledger.db", "the ledger is in \"path\" already"),
            (
                "folder: own", "folder: own, warn_free_bytes: 1",
                "store.warn_free_bytes: it says nothing of a ledger on PostgreSQL"
            ),
            ("folder: own", "folder: own, key_file: own/assay.rates", "want a file of its own"),
            ("database: assay, ", "", "\"database\" is missing"),
            ("user: me", "usr: me", "did you mean \"user\"?"),
        ])
    func mistakes(_ old: String, _ new: String, _ words: String) {
        let found = problems(Self.small.replacing(old, with: new))
        #expect(found.contains { $0.contains(words) }, "\(found)")
    }

    @Test("A store is somewhere")
    func nowhere() {
        let found = problems(Self.small.replacing(/store: .*/, with: "store: {key_file: a}"))
        #expect(found.contains { $0.contains("where is the ledger?") }, "\(found)")
    }

    @Test("Nothing that is secret stands in the summary")
    func summary() throws {
        let lines = try parse(Self.small).summary
        #expect(
            lines.contains { $0.contains("keeps its ledger in the database assay at localhost:5432, without TLS") }, "\(lines)")
        #expect(lines.contains("writes the audit chain \"one\" there"))
    }
}
