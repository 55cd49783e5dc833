import AssayCore
import AssaySQLite
import AssayService
import AssayTesting
import Foundation
import Logging
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// The file of a ledger is exchanged for an older copy while a daemon has it open.
@Suite("An exchanged ledger at the next start", .timeLimit(.minutes(30)))
struct ExchangedLedgerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "A copy that lacks what the daemon had committed is refused at the next start too, until the keys of challenges are removed"
    )
    func olderCopy() async throws {
        let place = FixedConfiguration.Store(.file(folder.file("one.db")), keyFile: folder.file("one.key"))
        let configuration = try Configuration.parse(ConfigurationTests.small, file: "", folder: folder.path)
        func start() async throws -> OpenStore {
            let store = try await OpenStore(place, logger: .silent)
            _ = try await makeDaemon(configuration, ledger: store.ledger, vault: store.vault, logger: .silent)
            return store
        }
        try await start().close()
        try FileManager.default.copyItem(atPath: folder.file("one.db"), toPath: folder.file("copy.db"))
        let first = try await start()
        let second = try await first.ledger.status().auditCount
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: folder.file("one.db") + suffix) }
        try FileManager.default.copyItem(atPath: folder.file("copy.db"), toPath: folder.file("one.db"))
        // An idle writer looks every second.
        try await eventually("the exchange is noted") { ReplacementNote(beside: folder.file("one.db")).chain != nil }
        first.close()
        for _ in 0..<2 {
            let error = await #expect(throws: LedgerError.self) { try await start() }
            #expect(
                error?.description.contains("does not hold audit record \(second)") == true, "\(error.map { "\($0)" } ?? "")")
        }
        #expect(try await OpenStore.forgetChallenges(place) == 1)
        try await start().close()
        try await start().close()
    }

    @Test("When challenges are forgotten, the kept revocation lists are not given out any more")
    func passedLists() async throws {
        let place = FixedConfiguration.Store(.file(folder.file("one.db")), keyFile: folder.file("one.key"))
        let list = StoredRevocationList(
            issuer: [UInt8](repeating: 0xCA, count: 32), number: 8, thisUpdate: .distantPast,
            nextUpdate: Timestamp(unixSeconds: 1_900_000_000), revocationCount: 3, der: [1])
        let before = try await OpenStore(place, logger: .silent)
        #expect(try await before.ledger.keep(list))
        before.close()
        _ = try await OpenStore.forgetChallenges(place)
        let after = try await OpenStore(place, logger: .silent)
        defer { after.close() }
        let kept = try #require(try await after.ledger.revocationList(of: list.issuer))
        #expect(kept.number == list.number && kept.revocationCount == StoredRevocationList.passed)
    }
}
