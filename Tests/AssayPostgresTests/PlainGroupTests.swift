import AssayCore
import AssayTesting
import Testing

@testable import AssayPostgres

/// Groups that are accepted without a look at their rows before, where nothing has changed.
@Suite("Groups of entries whose counters were seen", .needsServer)
struct PlainGroupTests {
    private static let start = CounterState(counter: 0, window: 1)

    private func registered(_ count: Int, by ledger: PostgresLedger) async throws -> [Device] {
        let devices = try (0..<count).map { _ in try Sample.device() }
        #expect(try await ledger.commit([try Sample.entry(registrations: devices)]) == [.committed])
        return devices
    }

    private func entry(
        _ device: Device, to counter: UInt32, seen: CounterState? = Self.start, spends: [LedgerEntry.Spend] = [Sample.spend()],
        _ rule: CounterRule = .window64
    ) throws -> LedgerEntry {
        try Sample.entry(spends: spends, advances: [Sample.advance(device, to: counter, rule, seen: seen)], about: device.id)
    }

    @Test("are committed, and the cached records follow")
    func accepted() async throws {
        let ledger = try PostgresLedger.open(try server().schema())
        defer { ledger.close() }
        let devices = try await registered(20, by: ledger)
        let keys = devices.map(\.key)
        #expect(try await ledger.devices(of: keys).map { try $0.get() } == devices)
        // Two entries of each device, and none of the order of ids.
        var entries = try devices.map { try entry($0, to: 3) }
        entries += try devices.reversed().map { try entry($0, to: 2) }
        #expect(try await ledger.commit(entries) == [CommitOutcome](repeating: .committed, count: 40))
        #expect(ledger.plainGroups == .init(accepted: 1, undone: 0))
        for device in await ledger.devices(of: keys) {
            let cached = try #require(try device.get())
            let kept = try #require(try await ledger.find(DeviceTable.device(cached.id)))
            #expect(kept.counter == 3 && kept.counterWindow == 0b1011)
            #expect(cached == kept && kept.lastAcceptedAt == Sample.now)
        }
        #expect(try await ledger.commit(entries.prefix(2).map { $0 }).refused(.challengeReused) == 2)
        let page = try await ledger.audit(from: 1, limit: 100)
        #expect(page.rows.count == 41 && page.rows.dropFirst().map(\.record) == entries.map(\.audit.bytes))
    }

    @Test("are decided by their rows where another daemon has advanced, blocked or removed a device, or spent a challenge")
    func changed() async throws {
        let settings = try server().schema()
        let ledger = try PostgresLedger.open(settings)
        let other = try PostgresLedger.open(settings.writer("two"))
        defer {
            ledger.close()
            other.close()
        }
        let devices = try await registered(6, by: ledger)
        _ = await ledger.devices(of: devices.map(\.key))
        let spend = Sample.spend()
        #expect(
            try await other.commit([
                try entry(devices[0], to: 2), try entry(devices[1], to: 2), try entry(devices[5], to: 1, spends: [spend]),
            ]).committed == 3)
        _ = try await other.block(.device(devices[2].id), .test(at: Sample.now, reason: "stolen"))
        _ = try await other.forget(devices[3].id, .test())
        let entries = [
            try entry(devices[0], to: 5), try entry(devices[1], to: 2), try entry(devices[2], to: 1),
            try entry(devices[3], to: 1), try entry(devices[4], to: 1, spends: [spend]), try entry(devices[4], to: 2),
        ]
        let expected: [CommitOutcome] = [
            .committed, .refused(.counterNotIncreasing), .refused(.deviceBlocked), .refused(.unknownDevice),
            .refused(.challengeReused), .committed,
        ]
        #expect(try await ledger.commit(entries) == expected)
        #expect(ledger.plainGroups == .init(accepted: 0, undone: 1))
        // What was found is cached: the value 2 of the other daemon counts.
        let cached = try #require(try await ledger.device(devices[0].key))
        #expect(cached.counter == 5 && cached.counterWindow == 0b101001)
        let state = CounterState(counter: cached.counter, window: cached.counterWindow)
        // The group after one that was undone is passed over.
        #expect(try await ledger.commit([try entry(devices[0], to: 6, seen: state)]) == [.committed])
        #expect(ledger.plainGroups == .init(accepted: 0, undone: 1))
        let next = try state.advanced(to: 6, rule: .window64)
        #expect(try await ledger.commit([try entry(devices[0], to: 7, seen: next)]) == [.committed])
        #expect(ledger.plainGroups == .init(accepted: 1, undone: 1))
    }

    @Test("have the outcomes of the same entries without a state that was seen", arguments: 0..<6)
    func equal(seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        let (settings, others) = (try server().schema(), try server().schema())
        let ledgers = [try PostgresLedger.open(settings), try PostgresLedger.open(others)]
        defer { for ledger in ledgers { ledger.close() } }
        let devices = try (0..<8).map { _ in try Sample.device() }
        let registration = try Sample.entry(registrations: devices)
        for ledger in ledgers {
            #expect(try await ledger.commit([registration]) == [.committed])
            _ = try await ledger.block(.device(devices[7].id), .test(at: Sample.now, reason: "stolen"))
        }
        let unknown = try Sample.device()
        var spent: [LedgerEntry.Spend] = []
        for _ in 0..<60 {
            // The states as they are now, but for some that are outdated.
            var states: [DeviceID: CounterState] = [:]
            for device in devices {
                let found = try await ledgers[0].find(DeviceTable.device(device.id))
                states[device.id] = found.map { CounterState(counter: $0.counter, window: $0.counterWindow) }
            }
            var entries: [LedgerEntry] = []
            var plain: [LedgerEntry] = []
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let isOdd = Int.random(in: 0..<20, using: &numbers) == 0
                let device = isOdd ? [unknown, devices[7]][entries.count % 2] : devices[Int.random(in: 0..<7, using: &numbers)]
                let state = states[device.id] ?? Self.start
                let isRepeated = !spent.isEmpty && Int.random(in: 0..<20, using: &numbers) == 0
                let spend = isRepeated ? spent[Int.random(in: 0..<spent.count, using: &numbers)] : Sample.spend()
                spent.append(spend)
                let counter = state.counter + UInt32.random(in: 0...3, using: &numbers)
                let seen = Int.random(in: 0..<20, using: &numbers) == 0 ? Self.start : state
                let rule: CounterRule = Int.random(in: 0..<2, using: &numbers) == 0 ? .window64 : .strictlyIncreasing
                plain.append(try entry(device, to: max(1, counter), seen: seen, spends: [spend], rule))
                entries.append(try entry(device, to: max(1, counter), seen: nil, spends: [spend], rule))
            }
            #expect(try await ledgers[0].commit(plain) == ledgers[1].commit(entries))
        }
        let content = """
            SELECT (SELECT string_agg(c::text, ',' ORDER BY device) FROM counters c) || (SELECT string_agg(s::text, ',' ORDER BY s) FROM spent s)
            """
        #expect(try settings.text(content) == others.text(content))
        #expect(ledgers[0].plainGroups.accepted > 0 && ledgers[0].plainGroups.undone > 0)
        #expect(ledgers[1].plainGroups == .init())
    }

    @Test("are none with anything else to check, to change or to keep, nor with an entry that would be refused")
    func others() throws {
        let (device, other) = (try Sample.device(), try Sample.device())
        func isPlain(_ entries: [LedgerEntry]) -> Bool { PlainGroup(entries, after: Sample.now) != nil }
        let good = try entry(device, to: 1)
        let advance = Sample.advance(other, to: 1, seen: Self.start)
        #expect(isPlain([good, try entry(other, to: 1)]) && !isPlain([]))
        #expect(isPlain([good, try Sample.entry(advances: [advance])]))
        let odd = [
            try entry(other, to: 1, seen: nil), try entry(other, to: 0, .strictlyIncreasing),
            try entry(other, to: 1, spends: [Sample.spend(isFixed: false)]),
            try entry(other, to: 1, spends: [Sample.spend(expiry: Sample.now)]),
            try Sample.entry(), try Sample.entry(registrations: [other]), try Sample.entry(about: other.id),
            try Sample.entry(advances: [advance], about: device.id),
            try Sample.entry(advances: [advance, Sample.advance(try Sample.device(), to: 1, seen: Self.start)]),
            try Sample.entry(advances: [advance], subject: SecureRandom.bytes(32)),
            try Sample.entry(
                advances: [advance],
                idempotency: .init(key: [1], request: [1], expiry: Sample.expiry, verdict: [1], device: other.id)),
        ]
        for (index, entry) in odd.enumerated() { #expect(!isPlain([good, entry]), "\(index)") }
        #expect(!isPlain([good, try self.entry(device, to: 1)]), "the second of the same counter")
    }

    @Test("are passed over for a while after some that were undone, longer each time")
    func attempts() {
        let attempts = PlainGroupAttempts()
        func passedOver() -> Int { (0..<1000).prefix { _ in !attempts.mayTry() }.count }
        for expected in [1, 2, 4, 8, 16, 32, 64, 64] {
            #expect(passedOver() == 0)
            attempts.ended(accepted: false)
            #expect(passedOver() == expected)
        }
        for _ in 0..<6 { attempts.ended(accepted: true) }
        #expect(passedOver() == 0)
        attempts.ended(accepted: false)
        #expect(passedOver() == 2)
        #expect(attempts.counts == .init(accepted: 6, undone: 9))
    }

    @Test("find their rows by keys, however small the table is")
    func plans() throws {
        let settings = try server().schema()
        try PostgresLedger.open(settings).close()
        let connection = try ServerCheck(settings).connect()
        let devices = try (0..<3).map { _ in try Sample.device() }
        let group = try #require(PlainGroup(try devices.map { try entry($0, to: 1) }, after: Sample.now))
        let statements = [Locks.counters(Set(devices.map(\.id))), group.trip[0]]
        _ = try connection.run(
            [
                .once("INSERT INTO counters SELECT decode(md5(n::text), 'hex'), 0, 1, 0, 0 FROM generate_series(1, 700) AS n"),
                .once("ANALYZE counters"),
            ], within: 10_000)
        for (index, statement) in statements.enumerated() {
            _ = try connection.query(.once("PREPARE p\(index) AS \(statement.sql)"), within: 10_000)
        }
        func plan(_ index: Int) throws -> String {
            let arrays = statements[index].parameters.map { _ in "'{}'" }.joined(separator: ", ")
            return try connection.query(.once("EXPLAIN EXECUTE p\(index)(\(arrays))"), within: 10_000).all { $0.text(0) }
                .joined(separator: "\n")
        }
        for index in statements.indices {
            let plan = try plan(index)
            #expect(plan.contains("counters_pkey") && !plan.contains("Seq Scan"), "\(plan)")
        }
        // Arrays are run through in their order, in which the rows are locked.
        let update = try plan(1)
        let outer = try #require(update.firstRange(of: "Subquery Scan")),
            inner = try #require(update.firstRange(of: "Index Scan"))
        #expect(update.contains("Nested Loop") && outer.lowerBound < inner.lowerBound, "\(update)")
    }
}
