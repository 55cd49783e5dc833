import AssayCore
import AssayLedger
import AssayTesting
import Foundation
import Synchronization
import Testing

@testable import AssayPostgres

@Suite("Leases of PostgreSQL ledgers", .needsServer, .serialized)
struct LeaseTests {
    private static func holder(_ instance: String) -> LedgerHolder {
        LedgerHolder(instance: instance, name: "process \(instance) on db1")
    }

    private final class Faults: Sendable {
        private let faults = Mutex<[LedgerFault]>([])
        var all: [LedgerFault] { faults.withLock { $0 } }
        func add(_ fault: LedgerFault) { faults.withLock { $0.append(fault) } }
    }

    private func options(_ instance: String, lease: Int64 = 6000, faults: Faults = Faults()) -> PostgresOptions {
        var options = PostgresOptions()
        (options.holder, options.leaseLength, options.onFault) = (Self.holder(instance), lease, faults.add)
        return options
    }

    // MARK: Names of writers

    @Test("A second process does not take the name of a running one, and the first one goes on", .timeLimit(.minutes(30)))
    func running() async throws {
        let settings = try server().database()
        let first = try PostgresLedger.open(settings, options: options("7"))
        defer { first.close() }
        let error = #expect(throws: LedgerError.self) { try PostgresLedger.open(settings, options: options("8")) }
        let words = "\(error.map { "\($0)" } ?? "")"
        #expect(words.contains("the writer \"one\" is in use by process 7 on db1: each daemon needs a name of its own"))
        #expect(try await first.commit([try Sample.entry()]) == [.committed])
        #expect(first.health.fault == nil)
    }

    @Test("A closed ledger gives the name back at once")
    func closed() throws {
        let settings = try server().database()
        try PostgresLedger.open(settings, options: options("7", lease: 600_000)).close()
        let faults = Faults()
        try PostgresLedger.open(settings, options: options("8", lease: 600_000, faults: faults)).close()
        #expect(faults.all.isEmpty)
    }

    @Test(
        "The name of a process that was killed is free when its lease has ended, and at once for the next process of its folder"
    )
    func killed() async throws {
        let settings = try server().database()
        try PostgresLedger.open(settings).close()
        let kill = """
            UPDATE writers SET instance = '7', held_by = 'process 7 on db1', held_until = \(WriterLease.now) + 4000 RETURNING ''
            """
        _ = try settings.text(kill)
        let (faults, clock) = (Faults(), ContinuousClock())
        var began = clock.now
        let second = try PostgresLedger.open(settings, options: options("8", lease: 5000, faults: faults))
        #expect(clock.now - began > .seconds(1))
        #expect(
            faults.all.contains { fault in
                guard case .warning(let words) = fault else { return false }
                return words.hasPrefix("the writer \"one\" is held by process 7 on db1; waiting at most ")
            }, "\(faults.all)")
        #expect(try await second.commit([try Sample.entry()]) == [.committed])
        second.close()
        _ = try settings.text(kill.replacingOccurrences(of: "4000", with: "600000"))
        began = clock.now
        try PostgresLedger.open(settings, options: options("7")).close()
        #expect(clock.now - began < .seconds(60))
    }

    @Test("A ledger without commits keeps its name")
    func idle() async throws {
        let settings = try server().database()
        let ledger = try PostgresLedger.open(settings, options: options("7", lease: 6000))
        defer { ledger.close() }
        try await Task.sleep(for: .seconds(8))
        #expect(try settings.text("SELECT (held_until > \(WriterLease.now))::text FROM writers") == "true")
    }

    // MARK: Work

    @Test("Work is done by one daemon, until it is closed or its lease has ended")
    func work() async throws {
        let fleet = try Fleet(3)
        defer { fleet.close() }
        func takers(_ work: BackgroundWork) async throws -> [Bool] {
            var takers: [Bool] = []
            for ledger in fleet.ledgers { takers.append(try await ledger.takes(work)) }
            return takers
        }
        for work in BackgroundWork.allCases {
            for _ in 0..<2 { #expect(try await takers(work) == [true, false, false]) }
        }
        _ = try fleet.settings.text("UPDATE writers SET held_until = 0 WHERE name = 'w0' RETURNING ''")
        #expect(try await fleet[2].takes(.receipts))
        #expect(try await takers(.receipts) == [false, false, true])
        fleet[2].close()
        #expect(try await fleet[1].takes(.receipts))
        #expect(try await !fleet[0].takes(.receipts))
    }

    @Test("One of many daemons that ask at once gets work that has no daemon")
    func race() async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        for _ in 0..<5 {
            _ = try fleet.settings.text("WITH d AS (DELETE FROM work) SELECT ''")
            let takers = try await withThrowingTaskGroup(of: Bool.self) { group in
                for ledger in fleet.ledgers { group.addTask { try await ledger.takes(.purge) } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(takers == 1)
        }
    }

    // MARK: Notifications

    @Test(
        "A block, its end and a removal by one daemon are seen by another one that has the device in its cache",
        .timeLimit(.minutes(30)))
    func notifications() async throws {
        var options = Fleet.patient
        options.cacheLifetime = 3_600_000_000_000
        let fleet = try Fleet(2, options)
        defer { fleet.close() }
        let (device, context) = (try Sample.device(), ChangeContext(.caller("tester"), at: Sample.now, reason: "lost"))
        _ = try await fleet[0].commit([try Sample.entry(registrations: [device])])
        try await eventually("it listens") { fleet[1].isListening }
        #expect(try await fleet[1].device(device.id) != nil)
        _ = try await fleet[0].block(.device(device.id), context)
        try await eventually("the block is seen") { try await fleet[1].device(device.id)?.isBlocked == true }
        _ = try await fleet[0].unblock(.device(device.id), context)
        #expect(try await fleet[1].device(device.id)?.isBlocked == false, "blocked devices are not cached")
        _ = try await fleet[0].forget(device.id, context)
        try await eventually("the removal is seen") { try await fleet[1].device(device.id) == nil }
    }

    @Test("Payloads name devices, or all of them")
    func payloads() throws {
        let ids = (0..<200).map { _ in DeviceID.random() }
        let payload = ids.map { Hex.encode($0.bytes) }.joined(separator: ",")
        #expect(payload.utf8.count < 8000)
        #expect(ChangeNotification.devices(in: payload) == ids)
        for other in ["*", "x", payload + ",zz"] { #expect(ChangeNotification.devices(in: other) == nil) }
        let settings = try server().settings("test")
        #expect(ChangeNotification.statements([], settings).isEmpty)
        #expect(ChangeNotification.statements(ids.map { .unclear($0) }, settings).count == 1)
    }

    @Test("A listener whose connection ends clears the cache and listens again", .timeLimit(.minutes(30)))
    func reconnection() async throws {
        let settings = try server().database()
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        try await eventually("it listens") { ledger.isListening }
        let listener = "FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
        let first = try settings.text("SELECT max(pid)::text \(listener)")
        _ = try settings.text("SELECT pg_terminate_backend(pid)::text \(listener)")
        // The next one is told by its process: it may listen before anyone sees that the first has ended.
        let next = "SELECT count(*)::text \(listener) AND pid <> \(first)"
        try await eventually("it listens again") { try settings.text(next) == "1" && ledger.isListening }
    }

    // MARK: Clocks

    /// A machine's clock that is ahead of this one's by some milliseconds. It runs: a busy machine makes no clock differ.
    private struct LeadingClock: WallClock {
        let lead: Int64
        func now() -> Timestamp { SystemClock().now().adding(milliseconds: lead) }
    }

    @Test("A clock that differs from the server's is told, and with one that is far off nothing is removed")
    func clocks() async throws {
        for (lead, warnings) in [(Int64(0), 0), (20_000, 1), (-20_000, 1)] {
            let faults = Faults()
            var options = options("7", faults: faults)
            options.clock = LeadingClock(lead: lead)
            let ledger = try PostgresLedger.open(try server().database(), options: options)
            try await ledger.purge(now: Sample.now)
            try await ledger.purge(now: Sample.now)
            ledger.close()
            #expect(faults.all.count == warnings, "\(faults.all)")
        }
        for lead in [Int64(400_000), -400_000] {
            let faults = Faults()
            var options = options("7", faults: faults)
            options.clock = LeadingClock(lead: lead)
            let ledger = try PostgresLedger.open(try server().database(), options: options)
            defer { ledger.close() }
            _ = try await ledger.commit([try Sample.entry()])
            // A warning, once, and no failure.
            for _ in 0..<2 { try await ledger.purge(now: .distantFuture) }
            let words = faults.all.map { fault in if case .warning(let words) = fault { words } else { "\(fault)" } }
            let place = lead > 0 ? "ahead of" : "behind"
            #expect(
                words.count == 1 && words[0].contains("6m \(place) the database server's: set both by NTP; what has"),
                "\(words)")
            #expect(try await ledger.status().spentHorizon == .distantPast)
        }
    }

    // MARK: Promotions

    /// A ledger with a challenge key, on a server that the ledger takes for a promoted one at the next connect.
    private func promoted(confirmed: Bool) throws -> (PostgresSettings, PostgresLedger) {
        let settings = try server().database()
        let ledger = try PostgresLedger.open(settings)
        _ = try settings.text("INSERT INTO secrets VALUES ('challenge', 1, '', 0), ('other', 1, '', 0) RETURNING ''")
        _ = try settings.text("UPDATE meta SET value = 0 WHERE name = 'timeline' RETURNING ''")
        if confirmed { _ = try settings.text("UPDATE meta SET value = 0 WHERE name = 'unconfirmed' RETURNING ''") }
        return (settings, ledger)
    }

    private func names(_ ledger: PostgresLedger) async throws -> [String] { try await ledger.secrets().map(\.name) }

    @Test("After a promotion that no standby's confirmation preceded, a daemon that starts removes the challenge keys, once")
    func promotionBetweenStarts() async throws {
        for confirmed in [false, true] {
            let (settings, before) = try promoted(confirmed: confirmed)
            before.close()
            let faults = Faults()
            let ledger = try PostgresLedger.open(settings, options: options("7", faults: faults))
            defer { ledger.close() }
            #expect(faults.all == (confirmed ? [] : [.warning(ServerHistory.setback)]))
            #expect(try await names(ledger) == (confirmed ? ["challenge", "other"] : ["other"]))
            #expect(!ledger.hasStaleSecrets)
            #expect(try await ledger.status().spentHorizon > .distantPast || confirmed)
            #expect(try await ledger.commit([try Sample.entry(spends: [])]) == [.committed])
            #expect(try settings.text("SELECT value::text FROM meta WHERE name = 'timeline'") != "0")
            _ = try settings.text("INSERT INTO secrets VALUES ('challenge', 2, '', 0) RETURNING ''")
            let second = try PostgresLedger.open(settings.writer("two"))
            defer { second.close() }
            #expect(try await names(second).contains("challenge"))
        }
    }

    @Test("A daemon that lives through such a promotion accepts nothing until it has read the secrets again")
    func promotionWhileRunning() async throws {
        let (settings, ledger) = try promoted(confirmed: false)
        defer { ledger.close() }
        let connection = try PostgresConnection(settings)
        _ = try connection.query(
            .once(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'assay %'
                """), within: 10_000)
        let error = await #expect(throws: LedgerError.self) { try await ledger.commit([try Sample.entry(spends: [])]) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("challenge keys were removed after a promotion"))
        #expect(ledger.hasStaleSecrets)
        #expect(try await names(ledger) == ["other"])
        #expect(!ledger.hasStaleSecrets)
        // Its thread may be looking yet whether the store is back, after the failure.
        try await eventually("it accepts again") { (try? await ledger.commit([try Sample.entry(spends: [])])) == [.committed] }
    }
}
