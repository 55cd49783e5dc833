import AssayCore
import AssaySchemes
import AssayTesting
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// `store.new_ledger`: an empty ledger beside an existing key is made a new one once, and one that was lost never.
@Suite("Declaration of a new ledger", .timeLimit(.minutes(30)))
struct NewLedgerTests {
    private static let now = SystemClock().now()
    private static let end = now.adding(milliseconds: 3_600_000)

    private let folder: TemporaryFolder
    private var ledger: String { folder.file("data/ledger.db") }
    private var marker: String { folder.file("marker/ledgers") }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["data", "marker", "key"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
        try folder.write([UInt8](repeating: 7, count: 32), to: "key/ledger.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("key/ledger.key"))
        try write("{id: first, until: \(Self.end), marker: marker/ledgers}")
    }

    private func write(_ declaration: String?) throws {
        let section = declaration.map { ", new_ledger: \($0)" } ?? ""
        try folder.write(
            """
            listen: [{unix: a.sock, mode: 0666}]
            store: {path: data/ledger.db, key_file: key/ledger.key\(section)}
            callers: {known: [{name: handler, unix_user: 0, roles: [verify], apps: all}]}
            apps: {photos: {app_attest: {identities: [{app_id: TEAMID1234.com.example.photos}]}}}
            """, to: "assayd.yaml")
    }

    private func load() throws -> Configuration { try Configuration.load(folder.file("assayd.yaml"), at: Self.now) }

    /// Starts as the daemon does, with a secret in the ledger afterwards, and stops.
    private func start(_ exceptions: OpenStore.Exceptions = OpenStore.Exceptions(), log: LogBook? = nil) async throws {
        let configuration = try load()
        let store = try await OpenStore(
            configuration.fixed.store, accepting: exceptions, clock: FixedClock(Self.now), logger: log?.logger ?? .silent)
        defer { store.close() }
        _ = try await makeDaemon(configuration, ledger: store.ledger, vault: store.vault, logger: .silent)
    }

    /// Why it does not start.
    private func refusal() async -> String {
        do {
            try await start()
            return ""
        } catch { return "\(error)" }
    }

    private func findings() -> [String] {
        ConfigurationCheck(folder.file("assayd.yaml"), at: Self.now).findings.map { "\($0.code.rawValue): \($0.message)" }
    }

    private func wipe(_ name: String = "data") throws {
        try FileManager.default.removeItem(atPath: folder.file(name))
        try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
    }

    @Test("The first start makes the ledger, and a wiped volume is refused from then on")
    func once() async throws {
        #expect(findings().map { $0.hasPrefix("new_ledger_declared: until \(Self.end)") } == [true])
        let log = LogBook()
        try await start(log: log)
        #expect(log.lines.contains { $0.contains("the ledger is a new one, as store.new_ledger declares") }, "\(log.lines)")
        #expect(folder.text("marker/ledgers") == "made first \(Self.now)\n")
        try await start()
        for _ in 0..<2 {
            try wipe()
            let told = await refusal()
            #expect(
                told.contains(#"a ledger was made under the id "first" of store.new_ledger before (\#(Self.now)"#), "\(told)")
            #expect(told.contains("restore it; if it is to be a new one, give store.new_ledger another id"), "\(told)")
            #expect(!FileManager.default.fileExists(atPath: ledger), "nothing was made")
            #expect(findings().first?.hasPrefix("ledger_missing: there is no ledger \(ledger), but a ledger was made") == true)
        }
        // The key is lost too: an empty ledger and no key are those of a first start, but for the marker.
        try FileManager.default.removeItem(atPath: folder.file("key/ledger.key"))
        #expect(await refusal().contains("a ledger was made under the id"))
    }

    @Test("Another id is another declaration, and the marker remembers all of them")
    func ids() async throws {
        try await start()
        try wipe()
        try write("{id: second, until: \(Self.end), marker: marker/ledgers}")
        try await start()
        #expect(folder.text("marker/ledgers") == "made first \(Self.now)\nmade second \(Self.now)\n")
        try wipe()
        #expect(await refusal().contains(#"under the id "second""#))
        try write("{id: first, until: \(Self.end), marker: marker/ledgers}")
        #expect(await refusal().contains(#"under the id "first""#))
    }

    @Test("A declaration that has ended says nothing, though marker and ledger are both lost")
    func ended() async throws {
        try await start()
        try wipe()
        try wipe("marker")
        let past = Self.now.adding(milliseconds: -1)
        try write("{id: first, until: \(past), marker: marker/ledgers}")
        let told = await refusal()
        #expect(
            told.contains("its key file \(folder.file("key/ledger.key")) exists, and store.new_ledger has ended"), "\(told)")
        #expect(findings().contains { $0.hasPrefix("new_ledger_declared: the declaration ended \(past)") }, "\(findings())")
        #expect(findings().contains { $0.hasPrefix("ledger_missing: ") })
        #expect(!FileManager.default.fileExists(atPath: marker))
    }

    @Test("A start that was killed before the ledger was made is repeated")
    func killed() async throws {
        try folder.write("begun first \(Self.now)\n", to: "marker/ledgers")
        #expect(findings().map { $0.hasPrefix("new_ledger_declared: ") } == [true])
        try await start()
        #expect(folder.text("marker/ledgers") == "made first \(Self.now)\n")
        // Killed after the ledger was declared new, and before the marker said so.
        try wipe()
        try write("{id: second, until: \(Self.end), marker: marker/ledgers}")
        try await OpenStore.makeNew(load().fixed.store)
        try folder.write("begun second \(Self.now)\n", to: "marker/ledgers")
        try await start()
        #expect(folder.text("marker/ledgers") == "made second \(Self.now)\n")
    }

    @Test("A ledger that was there before the declaration is remembered too")
    func present() async throws {
        try write(nil)
        var exceptions = OpenStore.Exceptions()
        exceptions.newLedger = true
        try await start(exceptions)
        #expect(!FileManager.default.fileExists(atPath: marker))
        try write("{id: first, until: \(Self.end), marker: marker/ledgers}")
        try await start()
        try wipe()
        #expect(await refusal().contains("a ledger was made under the id"))
    }

    @Test(
        "A marker that cannot be read or written keeps an empty ledger from being made",
        arguments: [
            "made first", "made first now\n", "used first 2026-01-01T00:00:00Z\n", "", "begun A! 2026-01-01T00:00:00Z\n",
        ])
    func damaged(_ content: String) async throws {
        try folder.write(content, to: "marker/ledgers")
        #expect(await refusal().contains("\(marker) of store.new_ledger is damaged, or another program's"))
        #expect(findings().contains { $0.hasPrefix("new_ledger_marker: ") }, "\(findings())")
        #expect(!FileManager.default.fileExists(atPath: ledger))
        try FileManager.default.removeItem(atPath: folder.file("marker"))
        #expect(await refusal().contains("the folder \(folder.file("marker")) of store.new_ledger's marker does not exist"))
        #expect(findings().contains { $0.hasPrefix("new_ledger_marker: ") }, "\(findings())")
        #expect(!FileManager.default.fileExists(atPath: ledger))
    }

    @Test("A clock from before this program was made is no time at which a declaration holds")
    func clock() {
        let declaration = NewLedgerDeclaration(id: "a", until: Self.end, marker: "m")
        #expect(declaration.isInForce(at: Self.now) && !declaration.isInForce(at: Self.end))
        #expect(!declaration.isInForce(at: Version.date.adding(milliseconds: -1)))
    }

    @Test(
        "A declaration that would not protect is a mistake",
        arguments: [
            ("{id: first, until: 2099-01-01T00:00:00Z, marker: marker/ledgers}", "want a time at most 7 days from now"),
            ("{id: first, until: soon, marker: marker/ledgers}", "want a time such as"),
            ("{id: first, until: 2026-01-01T00:00:00Z}", "\"marker\" is missing: a file on another volume"),
            ("{id: first, until: 2026-01-01T00:00:00Z, marker: data/ledgers}", "it is in the folder of the ledger"),
            ("{id: first, until: 2026-01-01T00:00:00Z, marker: marker/../data/l}", "it is in the folder of the ledger"),
            ("{id: first, until: 2026-01-01T00:00:00Z, marker: key/ledger.key}", "too: want a file of its own"),
            ("{id: A first, until: 2026-01-01T00:00:00Z, marker: marker/ledgers}", "want 1 to 64 of a-z"),
            ("{until: 2026-01-01T00:00:00Z, marker: marker/ledgers}", "\"id\" is missing"),
            ("{id: first, marker: marker/ledgers}", "\"until\" is missing"), ("once", "want a section"),
        ])
    func mistakes(_ declaration: String, _ words: String) throws {
        try write(declaration)
        let error = #expect(throws: ConfigurationError.self) { try load() }
        #expect(error?.problems.contains { "\($0)".contains(words) } == true, "\(String(describing: error))")
    }

    @Test("A running daemon may lose the section at a reload")
    func reload() throws {
        let before = try load().fixed
        try write(nil)
        #expect(try before.sections(thatDifferIn: load().fixed).isEmpty)
    }
}
