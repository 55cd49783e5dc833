import AssayCore
import AssayLedger
import AssayTesting
import Testing

@testable import AssayPostgres

/// Reads that wait for the same thread: lookups among them share a trip.
@Suite("Reading from PostgreSQL", .needsServer)
struct ReadingTests {
    private let settings: PostgresSettings
    private let ledger: PostgresLedger

    init() throws {
        settings = try server().database()
        var options = PostgresOptions()
        (options.readers, options.deviceCacheBytes) = (1, 0)
        ledger = try PostgresLedger.open(settings, options: options)
    }

    private typealias Read = @Sendable () async throws -> Device?

    /// Keeps the reading thread for a moment, in which all of `reads` arrive, and returns what they are answered.
    private func together(_ reads: [Read]) async -> [Result<Device?, any Error>] {
        await withTaskGroup(of: (Int, Result<Device?, any Error>).self) { [ledger] group in
            group.addTask {
                _ = try? await ledger.find(Lookup(SQLStatement("SELECT pg_sleep(0.5)")) { $0.count })
                return (-1, .success(nil))
            }
            try? await Task.sleep(for: .milliseconds(100))
            for (index, read) in reads.enumerated() {
                group.addTask {
                    do { return (index, .success(try await read())) } catch { return (index, .failure(error)) }
                }
            }
            var answers = [Result<Device?, any Error>?](repeating: nil, count: reads.count)
            for await (index, answer) in group where index >= 0 { answers[index] = answer }
            return answers.compactMap(\.self)
        }
    }

    private func registered(_ count: Int) async throws -> [Device] {
        let devices = try (0..<count).map { _ in try Sample.device() }
        #expect(try await ledger.commit([try Sample.entry(registrations: devices)]) == [.committed])
        return devices
    }

    @Test("Lookups that wait together, and reads between them, are each answered by what they ask for")
    func answers() async throws {
        defer { ledger.close() }
        let devices = try await registered(100)
        let stranger = try Sample.device()
        var reads: [Read] = []
        var expected: [Device?] = []
        for (index, device) in devices.enumerated() {
            switch index % 5 {
            case 0: reads.append { [ledger] in try await ledger.device(device.id) }
            case 1:
                reads.append { [ledger] in
                    // Of several trips, so that it is no lookup.
                    try await ledger.devices(DeviceListing(app: device.app, limit: 1)).devices.first
                }
            case 2: reads.append { [ledger] in try await ledger.device(stranger.key) }
            default: reads.append { [ledger] in try await ledger.device(device.key) }
            }
            expected.append([1: devices[0], 2: nil][index % 5, default: device])
        }
        let answers = await together(reads)
        #expect(try answers.map { try $0.get() } == expected)
    }

    @Test("A lookup that fails fails alone: its statement, its values or its record")
    func failures() async throws {
        defer { ledger.close() }
        let devices = try await registered(40)
        _ = try settings.text("UPDATE devices SET claims = '\\xff' WHERE id = '\\x\(Hex.encode(devices[7].id.bytes))'")
        let broken = Lookup<Device?>(SQLStatement("SELECT 1 / $1::bigint", .int8(0))) { _ in nil }
        let unsendable = Lookup<Device?>(SQLStatement("SELECT $1::text", .text("\0"))) { _ in nil }
        var reads: [Read] = devices.map { device in { [ledger] in try await ledger.device(device.id) } }
        reads.insert({ [ledger] in try await ledger.find(broken) }, at: 3)
        reads.insert({ [ledger] in try await ledger.find(unsendable) }, at: 20)
        let answers = await together(reads)
        let failed = answers.indices.filter { if case .failure = answers[$0] { true } else { false } }
        // The damaged record is behind the first of the two.
        #expect(failed == [3, 8, 20], "\(answers)")
        guard case .failure(LedgerError.corrupt) = answers[8] else {
            Issue.record("\(answers[8])")
            return
        }
        #expect(answers.compactMap { try? $0.get()?.id } == devices.map(\.id).filter { $0 != devices[7].id })
    }

    @Test("Devices of many keys are those that are found one by one: known, blocked, of another app, unknown, and named twice")
    func many() async throws {
        defer { ledger.close() }
        let devices = try await registered(40)
        for (index, kind) in BlockKind.allCases.enumerated() {
            guard let target = devices[index].blockTarget(kind) else { continue }
            _ = try await ledger.block(target, .test(at: Sample.now, reason: "stolen"))
        }
        _ = try await ledger.forget(devices[5].id, .test())
        let other = DeviceKey(app: try #require(AppID("other")), keyID: devices[0].key.keyID)
        let keys = devices.map(\.key) + [other, try Sample.device().key, devices[7].key, devices[0].key]
        var alone: [Device?] = []
        for key in keys { alone.append(try await ledger.device(key)) }
        #expect(try await ledger.devices(of: keys).map { try $0.get() } == alone)
        #expect(alone.count { $0 == nil } == 3 && alone[0]?.isBlocked == true && alone[42] == devices[7])
        #expect(await ledger.devices(of: []).isEmpty)
    }

    @Test("Of many keys, a record that is damaged fails alone")
    func damaged() async throws {
        defer { ledger.close() }
        let devices = try await registered(5)
        _ = try settings.text("UPDATE devices SET claims = '\\xff' WHERE id = '\\x\(Hex.encode(devices[1].id.bytes))'")
        // A block that no flag tells of, and a flag without a block.
        _ = try settings.text("INSERT INTO blocks VALUES ('test', 1, '\\x\(Hex.encode(devices[2].id.bytes))', 'forged', 0)")
        _ = try settings.text("UPDATE counters SET blocked = 1 WHERE device = '\\x\(Hex.encode(devices[3].id.bytes))'")
        let found = await ledger.devices(of: devices.map(\.key))
        #expect([found[0], found[4]] == [.success(devices[0]), .success(devices[4])])
        for failed in found[1...3] {
            guard case .failure(.corrupt) = failed else {
                Issue.record("\(failed)")
                continue
            }
        }
    }

    @Test("Devices that are cached are not read again with those that are not, and a stale one is refused by the commit")
    func cached() async throws {
        ledger.close()
        let ledgers = [try PostgresLedger.open(settings), try PostgresLedger.open(settings.writer("two"))]
        defer { for ledger in ledgers { ledger.close() } }
        let devices = try (0..<6).map { _ in try Sample.device() }
        #expect(try await ledgers[0].commit([try Sample.entry(registrations: devices)]) == [.committed])
        let keys = devices.map(\.key)
        // Not while it begins to listen, or hears of the registration: what is read then is read again.
        try await eventually("the first devices are cached") {
            let found = try await ledgers[0].devices(of: Array(keys.prefix(3))).map { try $0.get() }
            #expect(found == Array(devices.prefix(3)))
            return ledgers[0].isListening && devices.prefix(3).allSatisfy { ledgers[0].cache.device($0.key).device != nil }
        }
        // The first is cached, and the database says nothing of this; the last is not.
        for device in [devices[0], devices[5]] {
            _ = try settings.text("UPDATE counters SET counter = 9 WHERE device = '\\x\(Hex.encode(device.id.bytes))'")
        }
        let counters = try await ledgers[0].devices(of: keys).map { try $0.get()?.counter }
        #expect(counters == [0, 0, 0, 0, 0, 9])
        // Removed and blocked by the other daemon.
        _ = try await ledgers[1].forget(devices[1].id, .test())
        _ = try await ledgers[1].block(.device(devices[2].id), .test(at: Sample.now, reason: "stolen"))
        let entries = try devices.map { try Sample.entry(advances: [Sample.advance($0, to: 5)]) }
        #expect(
            try await ledgers[0].commit(entries) == [
                .refused(.counterNotIncreasing), .refused(.unknownDevice), .refused(.deviceBlocked), .committed, .committed,
                .refused(.counterNotIncreasing),
            ])
        #expect(try await ledgers[1].devices(of: keys).map { try $0.get()?.counter } == [9, nil, 0, 5, 5, 9])
    }

    @Test("A scan of whole tables that fails leaves no transaction behind")
    func scan() async throws {
        defer { ledger.close() }
        let devices = try await registered(3)
        await #expect(throws: LedgerError.self) {
            try await ledger.read { database throws(PostgresError) in try database.scan("SELECT 1 / 0").count }
        }
        let count = try await ledger.read { database throws(PostgresError) in
            try database.scan("SELECT count(*) FROM devices").first { $0.int64(0) }
        }
        #expect(count == 3)
        // The settings of the scan are over: statements go by keys again.
        let setting = try await ledger.read { database throws(PostgresError) in
            try database.query("SELECT pg_catalog.current_setting('enable_seqscan')").first { $0.text(0) }
        }
        #expect(setting == "off")
        #expect(try await ledger.device(devices[0].id) == devices[0])
    }

    @Test("Lookups whose connection ends are answered over a new one", .timeLimit(.minutes(30)))
    func reconnection() async throws {
        defer { ledger.close() }
        let devices = try await registered(40)
        let reads: [Read] = devices.map { device in { [ledger] in try await ledger.device(device.key) } }
        async let answers = together(reads)
        try await Task.sleep(for: .milliseconds(300))
        // That of the thread is the one that sleeps.
        _ = try settings.text(
            """
            SELECT coalesce(sum(pg_terminate_backend(pid)::int), 0)::text FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%pg_sleep%'
            """)
        #expect(try await answers.map { try $0.get() } == devices)
    }
}
