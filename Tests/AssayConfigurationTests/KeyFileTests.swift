import AssayCore
import AssaySQLite
import AssayService
import Foundation
import Logging
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

@Suite("Key file", .timeLimit(.minutes(30)))
struct KeyFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func open(mayCreate: Bool = false) throws -> [UInt8] {
        try KeyFile.open(folder.file("key"), mayCreate: mayCreate)
    }

    /// The message for the operator.
    func complaint(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "nothing"
        } catch {
            return "\(error)"
        }
    }

    func write(_ bytes: [UInt8], mode: Int = 0o600) throws {
        try folder.write(bytes, to: "key")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file("key"))
    }

    @Test("The file is created once, with 32 bytes and mode 0600, and read from then on")
    func made() throws {
        let key = try open(mayCreate: true)
        #expect(key.count == 32)
        #expect(Set(key).count > 8, "random")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("key"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try open() == key)
        #expect(try open(mayCreate: true) == key)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
    }

    @Test("Simultaneous starts create one file")
    func concurrent() async throws {
        let path = folder.file("key")
        let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 { group.addTask { try KeyFile.open(path, mayCreate: true) } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
    }

    @Test("The file is not created again if the ledger has secrets already")
    func missing() async {
        #expect(
            await complaint { _ = try open() }.contains("is missing, but the ledger has secrets that only it opens; restore it")
        )
        #expect(!FileManager.default.fileExists(atPath: folder.file("key")))
    }

    @Test("The file must have 32 bytes", arguments: [0, 1, 31, 33, 4096])
    func length(_ count: Int) async throws {
        try write([UInt8](repeating: 7, count: count))
        #expect(await complaint { _ = try open() }.hasSuffix("does not hold 32 bytes"))
    }

    @Test("Other users must not be able to read the file", arguments: [0o640, 0o604, 0o660, 0o620, 0o601])
    func mode(_ mode: Int) async throws {
        try write([UInt8](repeating: 7, count: 32), mode: mode)
        #expect(await complaint { _ = try open() }.hasSuffix("can be read by others; its mode must be 0600"))
    }

    @Test("The file may have the group's access list from systemd, and nothing more")
    func credential() async throws {
        func open(_ mode: Int) throws -> Int {
            try write([UInt8](repeating: 7, count: 32), mode: mode)
            return try KeyFile.open(folder.file("key"), mayCreate: false, credentials: folder.path).count
        }
        #expect(try open(0o440) == 32 && open(0o400) == 32)
        for mode in [0o444, 0o460, 0o450, 0o404] {
            #expect(await complaint { _ = try open(mode) }.contains("can be read by others"), "\(mode)")
        }
        try write([UInt8](repeating: 7, count: 32), mode: 0o440)
        for elsewhere in ["", "/run/credentials/assayd.service"] {
            #expect(throws: StartupError.self) {
                try KeyFile.open(folder.file("key"), mayCreate: false, credentials: elsewhere)
            }
        }
    }

    @Test("The file must be a regular file: no link, no folder, no pipe")
    func kinds() async throws {
        try folder.write([UInt8](repeating: 7, count: 32), to: "other")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("key"), withDestinationPath: folder.file("other"))
        #expect(await complaint { _ = try open() }.hasSuffix("it is a symbolic link"))
        // A dangling link is not followed to create its target.
        try FileManager.default.removeItem(atPath: folder.file("other"))
        #expect(await complaint { _ = try open(mayCreate: true) }.contains("symbolic link"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("other")))

        try FileManager.default.removeItem(atPath: folder.file("key"))
        try FileManager.default.createDirectory(atPath: folder.file("key"), withIntermediateDirectories: false)
        #expect(await complaint { _ = try open() }.hasSuffix("is not a regular file"))

        try FileManager.default.removeItem(atPath: folder.file("key"))
        try #require(mkfifo(folder.file("key"), 0o600) == 0)
        #expect(await complaint { _ = try open() }.hasSuffix("is not a regular file"))
    }

    @Test("Another ledger's file is recognised as wrong at the start")
    func otherLedger() async throws {
        func start(_ store: FixedConfiguration.Store) async throws {
            let configuration = try Configuration.parse(ConfigurationTests.small, file: "", folder: folder.path)
            let store = try await OpenStore(store, logger: .silent)
            defer { store.close() }
            _ = try await makeDaemon(configuration, ledger: store.ledger, vault: store.vault, logger: .silent)
        }
        let one = FixedConfiguration.Store(.file(folder.file("one.db")), keyFile: folder.file("one.key"))
        let two = FixedConfiguration.Store(.file(folder.file("two.db")), keyFile: folder.file("two.key"))
        try await start(one)
        try await start(two)
        try await start(one)
        let mixed = FixedConfiguration.Store(one.place, keyFile: two.keyFile)
        #expect(await complaint { try await start(mixed) }.hasSuffix("it belongs to another ledger"))
        let lost = FixedConfiguration.Store(one.place, keyFile: folder.file("lost.key"))
        #expect(await complaint { try await start(lost) }.contains("lost.key is missing, but the ledger has secrets"))
        try await start(one)
        // No challenge key remains that the wrong file fails to unwrap; it must be refused nevertheless, or new keys would be wrapped
        // with it.
        #expect(try await OpenStore.forgetChallenges(one) == 1)
        #expect(await complaint { try await start(mixed) }.hasSuffix("it belongs to another ledger"))
        try await start(one)
    }
}
