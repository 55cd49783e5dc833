import AssayCore
import AssayMetrics
import AssayTesting
import Testing

@testable import AssayPostgres

@Suite("PostgreSQL ledger", .needsServer)
struct PostgresLedgerTests {
    @Test("The PostgreSQL ledger keeps each promise", arguments: LedgerContract.checks)
    func contract(_ check: ContractCheck) async throws {
        try await Self.schemas.with(pooled: false) { settings in
            let ledger = try PostgresLedger.open(settings)
            defer { ledger.close() }
            try await check.run(on: ledger)
        }
    }

    private static let schemas = ContractSchemas()

    @Test(
        "The PostgreSQL ledger keeps each promise behind a pooler, without its cache, with one entry in a transaction and one reader",
        arguments: LedgerContract.checks)
    func contractWithoutCaches(_ check: ContractCheck) async throws {
        let options = Self.bare
        try await Self.schemas.with(pooled: true) { settings in
            let ledger = try PostgresLedger.open(settings, options: options)
            defer { ledger.close() }
            try await check.run(on: ledger)
        }
    }

    @Test(
        "The ledger keeps each promise by the statements for distributed databases, which have no partitions and no notifications",
        arguments: LedgerContract.checks)
    func contractOfEngines(_ check: ContractCheck) async throws {
        try await Self.schemas.with(.yugabyteDB, pooled: true) { settings in
            let ledger = try PostgresLedger.open(settings)
            defer { ledger.close() }
            try await check.run(on: ledger)
            #expect(ledger.hasStandby && !ledger.isListening)
        }
    }

    private static let bare = {
        var options = PostgresOptions()
        options.deviceCacheBytes = 0
        options.batchLimit = 1
        options.readers = 1
        return options
    }()

    @Test("What another daemon changed of a cached device is seen when its lifetime has ended")
    func lifetime() async throws {
        let settings = try server().schema()
        var brief = PostgresOptions()
        brief.cacheLifetime = 0
        let ledgers = [
            try PostgresLedger.open(settings), try PostgresLedger.open(settings.writer("two")),
            try PostgresLedger.open(settings.writer("three"), options: brief),
        ]
        defer { for ledger in ledgers { ledger.close() } }
        let device = try Sample.device()
        #expect(try await ledgers[0].commit([try Sample.entry(registrations: [device])]) == [.committed])
        for ledger in ledgers { #expect(try await ledger.device(device.key) == device) }
        let exchange = ReceiptExchange(due: nil, end: .noData)
        try await ledgers[1].keep([ReceiptOutcome(device: device.id, exchange: exchange)])
        #expect(try await ledgers[1].device(device.key)?.exchange == exchange)
        #expect(try await ledgers[2].device(device.key)?.exchange == exchange)
        // The daemon whose record is old refuses what a block forbids.
        _ = try await ledgers[1].block(.device(device.id), reason: "stolen", at: Sample.now)
        let entry = try Sample.entry(advances: [Sample.advance(device, to: 1)])
        #expect(try await ledgers[0].commit([entry]) == [.refused(.deviceBlocked)])
    }

    @Test(
        "Challenges at the ends of time are spent once",
        arguments: [Timestamp.distantFuture, .distantPast.adding(milliseconds: 1)])
    func ends(expiry: Timestamp) async throws {
        let ledger = try PostgresLedger.open(try server().schema())
        defer { ledger.close() }
        let period = SpentPeriod(of: expiry)
        #expect(SpentPeriod(table: period.table) == period)
        let spend = Sample.spend(expiry: expiry)
        let outcomes = try await ledger.commit([try Sample.entry(spends: [spend]), try Sample.entry(spends: [spend])])
        #expect(outcomes == [.committed, .refused(.challengeReused)])
    }

    @Test(
        "Names of other tables are no periods",
        arguments: ["spent", "spent_", "spent_x", "spent_m", "spent_m9223372036854775808", "used"])
    func names(_ name: String) { #expect(SpentPeriod(table: name) == nil) }

    @Test("Transactions and entries are measured")
    func measured() async throws {
        let ledger = try PostgresLedger.open(try server().schema())
        defer { ledger.close() }
        _ = try await ledger.commit((0..<3).map { _ in try Sample.entry() })
        var exposition = Exposition()
        ledger.collect(into: &exposition)
        let names = Set(exposition.families.map(\.family.name))
        #expect(names == Set(ledger.metricFamilies.map(\.name)), "each family has a sample")
    }
}
