import AssayCore
import AssayTesting
import Synchronization
import Testing

@testable import AssayPostgres

/// Four daemons on one database; 64 entries at a time that exclude each other.
@Suite("Races between daemons on PostgreSQL", .needsServer, .serialized)
struct RaceTests {
    private let racers = 64

    private func race(
        _ rounds: Int = 4, _ body: (Fleet, Int) async throws -> Int
    ) async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        var accepted = 0
        for _ in 0..<rounds {
            for size in [1, 16] { accepted += try await body(fleet, size) }
        }
        try await fleet.expectVerdicts(accepted)
    }

    @Test("64 entries race for a token: exactly one is committed", arguments: [true, false])
    func token(isFixed: Bool) async throws {
        try await race { fleet, size in
            let spend = Sample.spend(isFixed: isFixed)
            let outcomes = try await fleet.race((0..<racers).map { _ in try Sample.entry(spends: [spend]) }, inCallsOf: size)
            #expect(outcomes.committed == 1 && outcomes.refused(.challengeReused) == racers - 1)
            return 1
        }
    }

    @Test(
        "64 entries race for a counter value: exactly one is committed", arguments: [nil, CounterState(counter: 0, window: 1)])
    func counter(seen: CounterState?) async throws {
        try await race { fleet, size in
            let device = try Sample.device()
            _ = try await fleet[0].commit([try Sample.entry(registrations: [device])])
            let outcomes = try await fleet.race(
                (0..<racers).map { _ in try Sample.entry(advances: [Sample.advance(device, to: 5, seen: seen)]) },
                inCallsOf: size)
            #expect(outcomes.committed == 1 && outcomes.refused(.counterNotIncreasing) == racers - 1)
            return 2
        }
    }

    @Test(
        "64 values of a counter's window are all accepted, in any order, and none twice",
        arguments: [nil, CounterState(counter: 64, window: 1)])
    func window(seen: CounterState?) async throws {
        try await race { fleet, size in
            let device = try Sample.device()
            _ = try await fleet[0].commit([
                try Sample.entry(registrations: [device]), try Sample.entry(advances: [Sample.advance(device, to: 64)]),
            ])
            let entries = try (1...63 as ClosedRange<UInt32>).flatMap { value in
                try (0..<2).map { _ in try Sample.entry(advances: [Sample.advance(device, to: value, .window64, seen: seen)]) }
            }
            let outcomes = try await fleet.race(entries.shuffled(), inCallsOf: size)
            #expect(outcomes.committed == 63 && outcomes.refused(.counterNotIncreasing) == 63)
            #expect(
                try await fleet[1].find(DeviceTable.device(device.id))?.counterWindow == .max)
            return 65
        }
    }

    @Test("64 registrations race for a key: exactly one is committed")
    func key() async throws {
        try await race { fleet, size in
            let keyID = SecureRandom.bytes(32)
            let outcomes = try await fleet.race(
                (0..<racers).map { _ in try Sample.entry(registrations: [try Sample.device(keyID: keyID)]) }, inCallsOf: size)
            #expect(outcomes.committed == 1 && outcomes.refused(.keyAlreadyRegistered) == racers - 1)
            return 1
        }
    }

    @Test("64 registrations race for the five places of a subject: exactly five are committed")
    func subjectLimit() async throws {
        try await race { fleet, size in
            let subject = SecureRandom.bytes(32)
            let outcomes = try await fleet.race(
                (0..<racers).map { _ in try Sample.entry(registrations: [try Sample.device(subject: subject)], atMost: 5) },
                inCallsOf: size)
            #expect(outcomes.committed == 5 && outcomes.refused(.tooManyDevices) == racers - 5)
            return 5
        }
    }

    @Test("64 requests race under an idempotency key: one is committed, and the others get its verdict")
    func idempotency() async throws {
        try await race { fleet, size in
            let key = SecureRandom.bytes(32)
            let entries = try (0..<UInt8(racers)).map { number in
                try Sample.entry(
                    idempotency: .init(key: key, request: [1], expiry: Sample.expiry, verdict: [number], device: nil))
            }
            let outcomes = try await fleet.race(entries, inCallsOf: size)
            let kept = try #require(try await fleet[2].verdict(idempotencyKey: key, now: Sample.now)).verdict
            #expect(outcomes.committed == 1 && outcomes.count { $0 == .repeated(verdict: kept) } == racers - 1)
            return 1
        }
    }

    @Test("A token that refused entries bring too is still there for the one that is accepted")
    func tokenOfRefused() async throws {
        try await race { fleet, size in
            let spend = Sample.spend()
            // Each token of this kind comes with a refused entry first, beside accepted ones, and with a good one afterwards.
            let others = (0..<racers / 4).map { Sample.spend(isFixed: $0 % 2 == 0) }
            let entries = try (0..<racers).map { number in
                switch number % 4 {
                case 0: try Sample.entry(spends: [spend], about: .random())
                case 1: try Sample.entry(spends: [others[number / 4]], about: .random())
                case 2: try Sample.entry(spends: [spend])
                default: try Sample.entry()
                }
            }
            let outcomes = try await fleet.race(entries, inCallsOf: size)
            #expect(outcomes.committed == 1 + racers / 4 && outcomes.refused(.unknownDevice) == racers / 2)
            #expect(outcomes.refused(.challengeReused) == racers / 4 - 1)
            let after = try await fleet.race(others.map { try Sample.entry(spends: [$0]) }, inCallsOf: size)
            #expect(after.committed == others.count)
            return 1 + racers / 4 + others.count
        }
    }

    @Test("A purge between two uses of a token does not make it fresh", .timeLimit(.minutes(30)))
    func purge() async throws {
        var options = Fleet.patient
        options.purgeMargin = 0
        let fleet = try Fleet(4, options)
        defer { fleet.close() }
        var accepted = 0
        for round in 0..<12 as Range<Int64> {
            // A period of its own for each round, for challenges and other tokens.
            let expiry = Sample.now.adding(milliseconds: round * SpentPeriod.length + 1000)
            let spends = (0..<400).map { Sample.spend(expiry: expiry, isFixed: $0 % 4 == 0) }
            accepted += try await fleet.race(try spends.map { try Sample.entry(spends: [$0]) }, inCallsOf: 50).committed
            let purged = Signal()
            let again = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        var again = 0
                        var isLast = false
                        while !isLast {
                            isLast = purged.isSet
                            let some = try spends.shuffled().prefix(40).map { try Sample.entry(spends: [$0]) }
                            again += try await fleet[number].commit(some).committed
                        }
                        return again
                    }
                }
                try await fleet[0].purge(now: expiry.adding(milliseconds: SpentPeriod.length))
                purged.set()
                return try await group.reduce(0, +)
            }
            #expect(again == 0, "round \(round): tokens that were accepted twice")
            accepted += again
        }
        #expect(accepted == 12 * 400)
        try await fleet.expectVerdicts(accepted)
        #expect(try await fleet[1].status().spentHorizon > Sample.now)
    }

    @Test(
        "A token whose removal is being committed is not fresh: the horizon is read after the token was spent again",
        .timeLimit(.minutes(30)))
    func removal() async throws {
        let settings = try server().database()
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        let spend = Sample.spend(isFixed: false)
        #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.committed])
        let purging = try PostgresConnection(settings)
        _ = try purging.run(
            [
                "BEGIN", "DELETE FROM assay.used",
                "UPDATE assay.meta SET value = \(spend.expiry.unixMilliseconds) WHERE name = 'spent_horizon'",
            ].map { .once($0) }, within: 10_000)
        let replay = Task { try await ledger.commit([try Sample.entry(spends: [spend])]) }
        // Until the replay waits for the removal.
        let waiting =
            "SELECT count(*)::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        try await eventually("the replay waits") { try settings.text(waiting) != "0" }
        _ = try purging.commit(within: 10_000)
        #expect(try await replay.value == [.refused(.challengeExpired)])
    }

    @Test("The same of a challenge in a group that is not looked at before", .timeLimit(.minutes(30)))
    func removalOfSeen() async throws {
        let settings = try server().database()
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        let (device, spend) = (try Sample.device(), Sample.spend())
        #expect(try await ledger.commit([try Sample.entry(registrations: [device])]) == [.committed])
        #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.committed])
        let purging = try PostgresConnection(settings)
        _ = try purging.run(
            [
                "BEGIN", "DELETE FROM assay.spent",
                "UPDATE assay.meta SET value = \(spend.expiry.unixMilliseconds) WHERE name = 'spent_horizon'",
            ].map { .once($0) }, within: 10_000)
        let entry = try Sample.entry(
            spends: [spend], advances: [Sample.advance(device, to: 1, seen: CounterState(counter: 0, window: 1))])
        let replay = Task { try await ledger.commit([entry]) }
        let waiting =
            "SELECT count(*)::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        try await eventually("the replay waits") { try settings.text(waiting) != "0" }
        _ = try purging.commit(within: 10_000)
        #expect(try await replay.value == [.refused(.challengeExpired)])
        #expect(ledger.plainGroups == .init(accepted: 0, undone: 1))
        #expect(try await ledger.find(DeviceTable.device(device.id))?.counter == 0)
    }

    @Test("Nothing is accepted after a block has returned", arguments: BlockKind.allCases)
    func block(kind: BlockKind) async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        for round in 0..<25 {
            let device = try Sample.device(subject: SecureRandom.bytes(32))
            let target = try #require(device.blockTarget(kind))
            // Device: its counters. Key and subject: registrations too, which come before or after the block.
            if kind == .device || round % 2 == 0 { _ = try await fleet[0].commit([try Sample.entry(registrations: [device])]) }
            let tasks = (0..<4).map { number in
                Task {
                    var accepted = 0
                    for value in 1...20 as ClosedRange<UInt32> {
                        let other = Device(
                            id: .random(), app: device.app, subject: device.subject, registration: device.registration,
                            registeredAt: Sample.now)
                        let entry = try Sample.entry(
                            registrations: kind == .device || round % 2 == 0 ? [] : [other],
                            advances: kind == .device || round % 2 == 0
                                ? [Sample.advance(device, to: value * 4 + UInt32(number))] : [])
                        accepted += try await fleet[number].commit([entry]).committed
                    }
                    return accepted
                }
            }
            let change = try await fleet[round].block(target, .test(at: Sample.now, reason: "stolen"))
            let after = try fleet.settings.verdicts()
            for task in tasks { _ = try await task.value }
            #expect(change != nil)
            let end = try fleet.settings.verdicts()
            #expect(after == end, "round \(round): accepted after the block returned")
        }
    }

    @Test(
        "Nothing is accepted after a block has returned, of a device whose counter is always as it was seen",
        arguments: BlockKind.allCases)
    func blockOfSeen(kind: BlockKind) async throws {
        let fleet = try Fleet(3)
        defer { fleet.close() }
        for round in 0..<25 {
            let devices = try (0..<2).map { _ in try Sample.device(subject: SecureRandom.bytes(32)) }
            let target = try #require(devices[0].blockTarget(kind))
            let accepted = fleet[0].plainGroups.accepted
            _ = try await fleet[0].commit([try Sample.entry(registrations: devices)])
            // Each device is served by one daemon. The first one is until the block has returned, and three times after that.
            let returned = Signal()
            let tasks = devices.enumerated().map { index, device in
                Task {
                    var state = CounterState(counter: 0, window: 1)
                    var (value, left) = (UInt32(0), index == 0 ? 3 : 40)
                    while left > 0 {
                        if index != 0 || returned.isSet { left -= 1 }
                        value += 1
                        let entry = try Sample.entry(advances: [Sample.advance(device, to: value, seen: state)])
                        guard try await fleet[index].commit([entry]) == [.committed] else { continue }
                        state = try state.advanced(to: value, rule: .strictlyIncreasing)
                    }
                    return state.counter
                }
            }
            // Every fifth block comes with the first commits; the others between commits that are not looked at before.
            if round % 5 > 0 {
                try await eventually("a group is accepted as it was seen") { fleet[0].plainGroups.accepted > accepted }
                try await Task.sleep(for: .milliseconds(round % 5))
            }
            _ = try await fleet[2].block(target, .test(at: Sample.now, reason: "stolen"))
            let id = Hex.encode(devices[0].id.bytes)
            let after = try fleet.settings.text("SELECT counter::text FROM counters WHERE device = '\\x\(id)'")
            returned.set()
            let (blocked, other) = (try await tasks[0].value, try await tasks[1].value)
            #expect("\(blocked)" == after, "round \(round): accepted after the block returned")
            #expect(other == 40, "the other device was not blocked")
        }
        #expect(fleet[0].plainGroups.accepted > 0 && fleet[1].plainGroups.accepted > 0)
    }

    @Test("Registering, advancing, blocking and forgetting at random ends without a deadlock, and all flags agree")
    func random() async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        let devices = try (0..<12).map { try Sample.device(subject: [UInt8](repeating: UInt8($0 % 3), count: 32)) }
        let failures = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var failed = 0
                    for step in 0..<60 {
                        let device = devices[Int.random(in: 0..<devices.count)]
                        let ledger = fleet[number]
                        do {
                            switch Int.random(in: 0..<8) {
                            case 0:
                                _ = try await ledger.block(
                                    try #require(device.blockTarget(BlockKind.allCases[step % 3])), .test())
                            case 1:
                                _ = try await ledger.unblock(
                                    try #require(device.blockTarget(BlockKind.allCases[step % 3])), .test())
                            case 2: _ = try await ledger.forget(device.id, .test())
                            case 3: _ = try await ledger.add(imported: devices.shuffled().prefix(3).map { $0 }, .test())
                            default:
                                let some = devices.shuffled().prefix(4)
                                _ = try await ledger.commit(
                                    try some.map { device in
                                        step % 2 == 0
                                            ? try Sample.entry(registrations: [device])
                                            : try Sample.entry(advances: [Sample.advance(device, to: UInt32(step))])
                                    })
                            }
                        } catch is LedgerError { failed += 1 }
                    }
                    return failed
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(failures == 0)
        #expect(
            try fleet.settings.text("SELECT count(*)::text FROM devices")
                == fleet.settings.text("SELECT sum(devices)::text FROM writers"))
        // The rows that decide agree with those that people see.
        for disagreement in [
            "SELECT count(*)::text FROM subjects s WHERE devices <> (SELECT count(*) FROM devices d WHERE d.subject = s.subject AND d.app = s.app)",
            "SELECT count(*)::text FROM subjects s WHERE blocked <> EXISTS (SELECT 1 FROM blocks WHERE kind = 2 AND target = subject)",
            "SELECT count(*)::text FROM device_keys k WHERE blocked <> EXISTS (SELECT 1 FROM blocks WHERE kind = 4 AND target = key_id)",
            "SELECT count(*)::text FROM device_keys k WHERE device IS NOT NULL AND NOT EXISTS (SELECT 1 FROM devices WHERE id = device)",
            "SELECT count(*)::text FROM devices d WHERE NOT EXISTS (SELECT 1 FROM counters WHERE device = id)",
            """
            SELECT count(*)::text FROM counters c JOIN devices d ON d.id = c.device WHERE c.blocked <>
                (SELECT coalesce(sum(kind), 0) FROM blocks b WHERE b.app = d.app AND
                    (kind = 1 AND target = d.id OR kind = 2 AND target = d.subject OR kind = 4 AND target = d.key_id))
            """,
        ] { #expect(try fleet.settings.text(disagreement) == "0", "\(disagreement)") }
    }
}

/// Is set once.
private final class Signal: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

extension PostgresSettings {
    /// The number of audit records of all writers that are verdicts.
    fileprivate func verdicts() throws -> String {
        try text("SELECT count(*)::text FROM audit WHERE substr(record, 1, 1) = '\\x01'::bytea")
    }
}
