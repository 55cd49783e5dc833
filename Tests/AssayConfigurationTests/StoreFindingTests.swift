import AssayCore
import AssaySchemes
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// Files of the store that the daemon cannot use: `check-config` says so, and the daemon does not start with them.
@Suite("Findings about the store's files", .timeLimit(.minutes(30)))
struct StoreFindingTests {
    private let folder: TemporaryFolder
    private var ledger: String { folder.file("data/ledger.db") }
    private var key: String { folder.file("data/ledger.db.key") }
    private var store: FixedConfiguration.Store { FixedConfiguration.Store(.file(ledger), keyFile: key) }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["run", "data"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.file(name))
        }
        try folder.write(
            """
            listen: [{unix: run/a.sock, mode: 0666}]
            store: {path: data/ledger.db}
            callers: {known: [{name: handler, unix_user: 0, roles: [verify], apps: all}]}
            apps:
              photos:
                app_attest:
                  identities: [{app_id: TEAMID1234.com.example.photos}]
            """, to: "assayd.yaml")
    }

    private func check(as account: UnixAccount = .current) -> ConfigurationCheck {
        ConfigurationCheck(folder.file("assayd.yaml"), as: account)
    }

    private func findings(as account: UnixAccount = .current) -> [String] {
        check(as: account).findings.map { "\($0.code.rawValue): \($0.message)" }
    }

    /// As the daemon does; with a challenge key in it, as every ledger that was used.
    private func start() async throws {
        let store = try await OpenStore(store, logger: .silent)
        defer { store.close() }
        let configuration = try Configuration.load(folder.file("assayd.yaml"))
        _ = try await makeDaemon(configuration, ledger: store.ledger, vault: store.vault, logger: .silent)
    }

    /// Opening and check-config say that it cannot be used, and why.
    private func expectFailure(_ code: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        let found = findings()
        #expect(found.count == 1 && found.first?.hasPrefix(code + ": ") == true, "\(found)", sourceLocation: sourceLocation)
        #expect(found.first?.contains(words) == true, "\(found)", sourceLocation: sourceLocation)
        #expect(!check().isGood, sourceLocation: sourceLocation)
        await #expect(throws: (any Error).self, sourceLocation: sourceLocation) { try await start() }
    }

    private func overwrite(_ path: String, _ bytes: [UInt8], at offset: UInt64) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? handle.close() }
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(bytes))
    }

    @Test("A good store has no findings before the first start, after it, and while the daemon has the ledger")
    func none() async throws {
        #expect(findings().isEmpty)
        try await start()
        #expect(findings().isEmpty && check().isGood)
        let store = try await OpenStore(store, logger: .silent)
        defer { store.close() }
        #expect(findings().isEmpty)
    }

    @Test("Another kind of file in the place of a side file is found", arguments: ["-wal", "-shm", ".lock"])
    func side(_ suffix: String) async throws {
        try await start()
        let path = ledger + suffix
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("elsewhere"))
        await expectFailure("ledger_file", "\(path) is a symbolic link, which is not followed")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        await expectFailure("ledger_file", "\(path) is not a regular file")
        try FileManager.default.removeItem(atPath: path)
        try await start()
    }

    @Test(
        "A file that is not a ledger of this version is found",
        arguments: [
            (68, [1, 2, 3, 4], "another program's database (application id 16909060)"),
            (60, [0, 0, 1, 0], "the ledger of a newer version (schema version 256;"),
            (0, Array("no database".utf8), "is no SQLite database"), (16, [0, 3], "is damaged, or of a newer SQLite"),
        ] as [(UInt64, [UInt8], String)])
    func content(_ offset: UInt64, _ bytes: [UInt8], _ words: String) async throws {
        try await start()
        try overwrite(ledger, bytes, at: offset)
        await expectFailure("ledger_file", words)
    }

    @Test("An empty ledger beside a key is told from a ledger that is to be made")
    func empty() async throws {
        try await start()
        for name in [ledger, ledger + "-wal", ledger + "-shm"] { try? FileManager.default.removeItem(atPath: name) }
        await expectFailure("ledger_missing", "there is no ledger \(ledger), but its key file")
        try folder.write("", to: "data/ledger.db")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: ledger)
        await expectFailure("ledger_missing", "the ledger \(ledger) is empty, but its key file")
        try FileManager.default.removeItem(atPath: key)
        try? FileManager.default.removeItem(atPath: ledger)
        try folder.write("", to: "data/ledger.db")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: ledger)
        #expect(findings().isEmpty, "both are made")
        try await start()
    }

    @Test("Hard links are found")
    func names() async throws {
        try await start()
        try FileManager.default.linkItem(atPath: ledger, toPath: folder.file("data/other.db"))
        await expectFailure("ledger_file", "has 2 names (hard links)")
    }

    @Test("A key file that is a link is found")
    func keyFile() async throws {
        try await start()
        let bytes = try Data(contentsOf: URL(filePath: key))
        try FileManager.default.moveItem(atPath: key, toPath: folder.file("real.key"))
        await expectFailure("key_file", "is missing, but the ledger exists")
        try FileManager.default.createSymbolicLink(atPath: key, withDestinationPath: folder.file("real.key"))
        await expectFailure("key_file", "\(key) is a symbolic link, which is not followed")
        try FileManager.default.removeItem(atPath: key)
        try FileManager.default.createDirectory(atPath: key, withIntermediateDirectories: false)
        await expectFailure("key_file", "\(key) is not a regular file")
        try FileManager.default.removeItem(atPath: key)
        for wrong in [bytes.dropLast(), bytes + [0]] {
            try folder.write([UInt8](wrong), to: "data/ledger.db.key")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            await expectFailure("key_file", "does not hold 32 bytes")
        }
        try folder.write([UInt8](bytes), to: "data/ledger.db.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        try await start()
    }

    @Test("A link to the ledger is followed: its folder and side files are those of its target")
    func link() async throws {
        try FileManager.default.createSymbolicLink(atPath: ledger, withDestinationPath: folder.file("away/real.db"))
        let missing = findings()
        let away = LedgerPath.real(folder.file("away"))
        #expect(missing == ["ledger_folder: the folder \(away) does not exist: mkdir -p \(away) makes it"], "\(missing)")
        await #expect(throws: (any Error).self) { try await start() }
        try FileManager.default.createDirectory(atPath: folder.file("away"), withIntermediateDirectories: false)
        #expect(findings().isEmpty)
        try await start()
        try FileManager.default.createDirectory(atPath: folder.file("away/real.db-wal"), withIntermediateDirectories: false)
        await expectFailure("ledger_file", "away/real.db-wal is not a regular file")
    }

    @Test("A link that leads back to itself is found")
    func linkLoop() async throws {
        try FileManager.default.createSymbolicLink(atPath: ledger, withDestinationPath: "ledger.db")
        await expectFailure("ledger_file", "\(ledger) is a symbolic link that leads back to itself")
        try FileManager.default.removeItem(atPath: ledger)
        try FileManager.default.createSymbolicLink(atPath: ledger, withDestinationPath: "other.db")
        try FileManager.default.createSymbolicLink(atPath: folder.file("data/other.db"), withDestinationPath: "ledger.db")
        await expectFailure("ledger_file", "\(ledger) is a symbolic link that leads back to itself")
    }

    @Test("Rights of another user follow from the modes of each file and of the folder")
    func modes() async throws {
        try await start()
        let account = UnixAccount(userID: 4_000_000, groups: [4_000_000])
        func set(_ mode: Int, _ path: String) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        func first() -> String { findings(as: account).first ?? "" }
        #expect(first().hasPrefix("ledger_file: the user 4000000 may not read and write the ledger \(ledger)"), "\(first())")
        try set(0o666, ledger)
        #expect(first().hasPrefix("ledger_file: the user 4000000 may not read and write the ledger's file"), "\(first())")
        #expect(first().hasSuffix("ledger.db.lock"))
        try set(0o666, ledger + ".lock")
        #expect(first().hasPrefix("ledger_file: other users may use the ledger's file \(ledger) (mode 0666)"), "\(first())")
        try set(0o733, folder.file("data"))
        #expect(first().hasPrefix("ledger_folder: the user 4000000 may not read the folder"), "\(first())")
    }
}

private enum LedgerPath {
    /// A path whose folder exists, without symbolic links.
    static func real(_ path: String) -> String {
        let url = URL(filePath: path)
        return url.deletingLastPathComponent().resolvingSymlinksInPath().appending(path: url.lastPathComponent).path
    }
}
