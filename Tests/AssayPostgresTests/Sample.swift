import AssayCore
import AssayTesting
import Testing

@testable import AssayPostgres

enum Sample {
    static let now = Timestamp(unixSeconds: 1_750_000_000)
    static let expiry = now.adding(milliseconds: 300_000)

    static func app() throws -> AppID { try #require(AppID("test")) }

    static func entry(
        time: Timestamp = now, spends: [LedgerEntry.Spend] = [spend()], registrations: [Device] = [],
        atMost limit: UInt32? = nil,
        advances: [LedgerEntry.Advance] = [], idempotency: LedgerEntry.Idempotency? = nil, subject: [UInt8]? = nil,
        about device: DeviceID? = nil
    ) throws -> LedgerEntry {
        LedgerEntry(
            time: time, spends: spends, registrations: registrations, devicesPerSubject: limit, advances: advances,
            idempotency: idempotency,
            audit: AuditRecord(
                requestID: SecureRandom.bytes(16), caller: "tester", app: try app(), purpose: .assert, device: device,
                assurance: .hardware, evidenceDigest: SecureRandom.bytes(32), policyDigest: SecureRandom.bytes(32),
                simulated: false),
            subject: subject)
    }

    static func list(_ number: Int64) -> StoredRevocationList {
        StoredRevocationList(
            issuer: [UInt8](repeating: 0xCA, count: 32), number: number, thisUpdate: now, nextUpdate: expiry,
            revocationCount: 0, der: [1])
    }

    static func spend(expiry: Timestamp = expiry, isFixed: Bool = true) -> LedgerEntry.Spend {
        .init(token: SecureRandom.bytes(16), expiry: expiry, expiryIsFixed: isFixed)
    }

    static func device(subject: [UInt8]? = nil, keyID: [UInt8] = SecureRandom.bytes(32)) throws -> Device {
        Device(
            id: .random(), app: try app(), subject: subject,
            registration: Registration(
                format: EvidenceFormat(rawValue: "test"), keyID: keyID, publicKey: SecureRandom.bytes(65),
                environment: "production", anchor: SecureRandom.bytes(32), claims: Claims(), chainSerials: [[1]],
                receipt: SecureRandom.bytes(300), simulated: false),
            registeredAt: now)
    }

    /// - Parameter seen: with a state, the entry may be of a group that is accepted without a look at its rows before (`PlainGroup`).
    static func advance(
        _ device: Device, to counter: UInt32, _ rule: CounterRule = .strictlyIncreasing, seen: CounterState? = nil
    ) -> LedgerEntry.Advance {
        .init(device: device.id, counter: counter, rule: rule, seen: seen)
    }
}

/// Several daemons on one database.
final class Fleet: Sendable {
    let ledgers: [PostgresLedger]
    let settings: PostgresSettings

    /// No lease ends, and none is renewed, while a test runs.
    static var patient: PostgresOptions {
        var options = PostgresOptions()
        options.leaseLength = 600_000
        return options
    }

    init(_ count: Int, _ options: PostgresOptions = Fleet.patient) throws {
        let settings = try server().database(writer: "w0")
        self.settings = settings
        ledgers = try (0..<count).map { try PostgresLedger.open(settings.writer("w\($0)"), options: options) }
    }

    func close() { for ledger in ledgers { ledger.close() } }

    subscript(_ index: Int) -> PostgresLedger { ledgers[index % ledgers.count] }

    /// Commits entries concurrently, in calls of `size` entries that go to the ledgers in turn.
    func race(_ entries: [LedgerEntry], inCallsOf size: Int = 1) async throws -> [CommitOutcome] {
        let calls = stride(from: 0, to: entries.count, by: size).map { Array(entries[$0..<min($0 + size, entries.count)]) }
        return try await withThrowingTaskGroup(of: [CommitOutcome].self) { group in
            for (number, call) in calls.enumerated() { group.addTask { try await self[number].commit(call) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Each ledger's audit chain is whole, and together they have `count` accepted verdicts.
    func expectVerdicts(_ count: Int) async throws {
        var found = 0
        for ledger in ledgers {
            var next = Int64.min
            var verifier = AuditVerifier(from: AuditChain())
            while true {
                let page = try await ledger.audit(from: next, limit: AuditPage.limit)
                for row in page.rows { verifier.take(row) }
                found += page.rows.count { AuditRecord(decoding: $0.record) != nil }
                guard let last = page.rows.last else { break }
                next = last.number + 1
            }
            #expect(verifier.finish() == nil)
            #expect(try await ledger.status().auditHead == verifier.chain.head)
        }
        #expect(found == count, "accepted verdicts in the audit chains")
    }
}

extension [CommitOutcome] {
    var committed: Int { count { $0 == .committed } }
    func refused(_ code: ReasonCode) -> Int { count { $0 == .refused(code) } }
}
