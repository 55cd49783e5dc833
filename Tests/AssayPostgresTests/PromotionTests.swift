import AssayCore
import AssayTesting
import Foundation
import Synchronization
import Testing

@testable import AssayPostgres

/// A primary is killed, and its standby promoted. The record of those who committed is compared.
@Suite("Promotion of a standby", .needsServer, .serialized, .timeLimit(.minutes(30)))
struct PromotionTests {
    /// Three daemons on a primary and its standby, with a challenge key in their ledger.
    private struct Cluster {
        let primary: TestServer
        let standby: TestServer
        let settings: PostgresSettings
        let ledgers: [PostgresLedger]

        init(isSynchronous: Bool) async throws {
            primary = try TestServer.ownServer()
            var settings = try primary.database()
            standby = try primary.standby()
            if isSynchronous { try primary.set("synchronous_standby_names", to: "*") }
            let wanted = isSynchronous ? "sync" : "async"
            try await eventually("the standby is \(wanted)") { [settings] in
                try settings.text("SELECT sync_state FROM pg_stat_replication") == wanted
            }
            settings.hosts += standby.settings(settings.database).hosts
            settings.requiresStandby = false
            self.settings = settings
            ledgers = try (0..<3).map { [settings] in try PostgresLedger.open(settings.writer("w\($0)")) }
            _ = try settings.text("INSERT INTO secrets VALUES ('challenge', 1, '', 0), ('other', 1, '', 0) RETURNING ''")
        }

        /// Returns when the standby has what the primary has now.
        func standbyFollows() async throws {
            var reader = standby.settings(settings.database)
            reader.sessions = "any"
            let end = try settings.text("SELECT pg_current_wal_lsn()::text")
            try await eventually("the standby follows") {
                try reader.text("SELECT (pg_last_wal_replay_lsn() >= '\(end)'::pg_lsn)::text") == "true"
            }
        }

        func end() {
            for ledger in ledgers { ledger.close() }
            primary.remove()
            standby.remove()
        }
    }

    @Test("With a synchronous standby nothing that was acknowledged is lost, and the keys of challenges stay", arguments: 1...2)
    func synchronous(_ round: Int) async throws {
        let cluster = try await Cluster(isSynchronous: true)
        defer { cluster.end() }
        for ledger in cluster.ledgers { #expect(ledger.hasStandby) }
        let loads = cluster.ledgers.map { CommitLoad($0) }
        for load in loads { try await load.more(100) }
        let place = try await cluster.ledgers[0].statusPlaces([Self.place])[0]
        try cluster.primary.killAll()
        try cluster.standby.promote()
        for load in loads { try await load.more(100) }
        for (load, ledger) in zip(loads, cluster.ledgers) {
            try await load.end().compare(with: ledger)
            #expect(!ledger.hasStaleSecrets && ledger.health.fault == nil)
        }
        #expect(try await cluster.ledgers[0].secrets().map(\.name) == ["challenge", "other"])
        #expect(try await cluster.ledgers[1].statusPlaces([Self.place]) == [place])
        // The one that was killed is a primary when it starts again, and the first of the hosts. The ledgers do not use it.
        try cluster.primary.start()
        let current = cluster.standby.settings(cluster.settings.database)
        var former = cluster.settings
        former.hosts = Array(former.hosts.prefix(1))
        let count = try former.text(Self.count)
        let connection = try PostgresConnection(current)
        _ = try connection.query(
            .once("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'assay w_'"),
            within: 10_000)
        for ledger in cluster.ledgers {
            try await acceptance(by: ledger)
            #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        }
        let (old, new) = (try former.text(Self.count), try current.text(Self.count))
        #expect(old == count && new != count)
    }

    /// A request for a place in a status list, of a device that is not registered.
    private static let place = ResultStatusRequest(
        device: .random(), audience: [UInt8](repeating: 1, count: 32), until: Sample.expiry)

    /// Commits entries until one succeeds. Each is a new one: what was spent by one that failed may be spent.
    private func acceptance(
        by ledger: PostgresLedger, of entry: () throws -> LedgerEntry = { try Sample.entry() }
    ) async throws {
        try await eventually("it accepts") { (try? await ledger.commit([try entry()])) == [.committed] }
    }

    /// The records in the audit chains.
    private static let count = "SELECT count(*)::text FROM audit"

    @Test(
        "With an asynchronous standby the daemons accept nothing after the promotion until they have read the secrets, without the keys"
    )
    func asynchronous() async throws {
        let cluster = try await Cluster(isSynchronous: false)
        defer { cluster.end() }
        for ledger in cluster.ledgers { #expect(ledger.durabilityRisk != nil) }
        for ledger in cluster.ledgers { #expect(try await ledger.commit([try Sample.entry(spends: [])]) == [.committed]) }
        // Nothing is lost here, which no daemon knows.
        let standby = cluster.standby.settings(cluster.settings.database)
        try await cluster.standbyFollows()
        try cluster.primary.killAll()
        try cluster.standby.promote()
        for ledger in cluster.ledgers {
            for _ in 0..<1200 where !ledger.hasStaleSecrets {
                if let outcome = try? await ledger.commit([try Sample.entry(spends: [])]) {
                    Issue.record("\(outcome) with keys that may be spent twice")
                }
                try await Task.sleep(for: .milliseconds(50))
            }
            // An idle ledger learns of it too, when it renews its lease.
            let refusal = await #expect(throws: LedgerError.self) { try await ledger.commit([try Sample.entry(spends: [])]) }
            #expect("\(refusal.map { "\($0)" } ?? "")".contains("challenge keys were removed after a promotion"))
            #expect(try await ledger.secrets().map(\.name) == ["other"])
            // Its thread may be looking yet whether the store is back, after the failure.
            try await acceptance(by: ledger) { try Sample.entry(spends: []) }
            #expect(try await ledger.commit([try Sample.entry(spends: [])]) == [.committed])
        }
        #expect(try standby.text("SELECT value::text FROM meta WHERE name = 'setbacks'") == "1", "once, for all")
    }

    @Test("Daemons whose last commits the promoted standby lacks go on by themselves, and tell how many are lost")
    func lostCommits() async throws {
        let cluster = try await Cluster(isSynchronous: false)
        defer { cluster.end() }
        let warnings = Mutex<[String]>([])
        var options = PostgresOptions()
        options.onFault = { fault in
            if case .warning(let words) = fault { warnings.withLock { $0.append(words) } }
        }
        let ledger = try PostgresLedger.open(cluster.settings.writer("last"), options: options)
        defer { ledger.close() }
        let (kept, lost) = (try Sample.entry(), try Sample.entry())
        #expect(try await ledger.commit([kept]) == [.committed])
        let before = try await ledger.statusPlaces([Self.place])[0]
        #expect(try await ledger.keep(Sample.list(1)))
        try await cluster.standbyFollows()
        try cluster.standby.killAll()
        #expect(try await ledger.commit([lost]) == [.committed])
        #expect(try await ledger.keep(Sample.list(2)))
        let unknown = ResultStatusRequest(device: .random(), audience: Self.place.audience, until: Sample.expiry)
        let gone = try await ledger.statusPlaces([unknown])[0]
        let revision = try #require(try await ledger.statusLists().first).revision
        for _ in 0..<2 { #expect(try await ledger.commit([try Sample.entry()]) == [.committed]) }
        try cluster.primary.killAll()
        try cluster.standby.start()
        try cluster.standby.promote()
        // Nothing is accepted with the keys of before.
        for _ in 0..<1200 where !ledger.hasStaleSecrets {
            await #expect(throws: LedgerError.self) { try await ledger.commit([try Sample.entry(spends: [])]) }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(ledger.health.fault == nil)
        #expect(try await ledger.secrets().map(\.name) == ["other"])
        try await acceptance(by: ledger) { try Sample.entry(spends: []) }
        // The horizon is past everything that was spent.
        #expect(try await ledger.commit([try Sample.entry(spends: lost.spends)]) == [.refused(.challengeExpired)])
        #expect(try await ledger.status().auditCount == 2)
        // Places of before stay. One that was lost is given to no other device, and no revision comes again.
        #expect(try await ledger.statusPlaces([Self.place]) == [before])
        #expect(try #require(try await ledger.statusLists().first).revision > revision)
        // The list that is left is not given out once more.
        let list = try #require(try await ledger.revocationList(of: Sample.list(1).issuer))
        #expect(list.number == 1 && list.revocationCount == StoredRevocationList.passed)
        let next = try await ledger.statusPlaces([unknown])[0]
        #expect(next.list > gone.list && gone.list == before.list && gone != before)
        #expect(
            warnings.withLock { $0 }.contains { $0.contains("5 commits of this daemon are lost") },
            "\(warnings.withLock { $0 })")
    }

    @Test("A standby that is required and taken out of the settings stops acceptance until it is back")
    func requirement() async throws {
        let cluster = try await Cluster(isSynchronous: true)
        defer { cluster.end() }
        var settings = cluster.settings.writer("strict")
        settings.requiresStandby = true
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        try cluster.primary.set("synchronous_standby_names", to: nil)
        let error = await #expect(throws: LedgerError.self) { try await ledger.commit([try Sample.entry()]) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("the configuration requires a standby"))
        await #expect(throws: LedgerError.self) { try await ledger.status() }
        // Another daemon, which does not require one, notes it for all.
        #expect(try await cluster.ledgers[0].commit([try Sample.entry()]) == [.committed])
        #expect(!cluster.ledgers[0].hasStandby)
        #expect(try cluster.settings.text("SELECT value::text FROM meta WHERE name = 'unconfirmed'") == "1")
        try cluster.primary.set("synchronous_standby_names", to: "*")
        try await acceptance(by: ledger)
        #expect(try await ledger.status().auditCount >= 2)
        #expect(ledger.hasStandby)
    }
}
