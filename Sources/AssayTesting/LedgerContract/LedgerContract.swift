public import AssayCore

/// The checks that every ledger passes: one contract for each promise, composed here.
///
/// The checks need no test framework. A failed check throws `ContractViolation`, or the error of the ledger.
///
///     for check in LedgerContract.checks { try await check.run(on: makeLedger()) }
public enum LedgerContract {
    public static let checks: [ContractCheck] =
        DeviceFactsContract.checks + VerdictLedgerContract.checks + DeviceRegistryContract.checks
        + BlockRegistryContract.checks + AuditLogContract.checks + SecretStoreContract.checks + ReceiptStoreContract.checks
        + ClockMemoryStoreContract.checks + LedgerMaintenanceContract.checks + CertificateRegistryContract.checks
        + EnrolmentRegistryContract.checks + CallerKeyRegistryContract.checks + PolicyStoreContract.checks
        + ResultKeyRegistryContract.checks + ResultStatusRegistryContract.checks + ResultJudgementContract.checks
        + PayloadIndexContract.checks + UploadRegistryContract.checks + DeviceFlagRegistryContract.checks

    /// Checks that take many thousands of records each.
    public static let longChecks: [ContractCheck] = ResultStatusRegistryContract.fullList

    /// Runs all checks but the long ones, each on a new ledger.
    public static func run(_ makeLedger: () async throws -> some Ledger) async throws {
        for check in checks { try await check.run(on: try await makeLedger()) }
    }
}

/// One check of a promise, on a new and empty ledger.
public struct ContractCheck: Sendable, CustomStringConvertible {
    /// A sentence: what the ledger does.
    public let description: String
    private let body: @Sendable (LedgerUnderTest) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (LedgerUnderTest) async throws -> Void) {
        (self.description, self.body) = (description, body)
    }

    public func run(on ledger: some Ledger) async throws {
        do {
            try await body(LedgerUnderTest(ledger))
        } catch let violation as ContractViolation {
            throw ContractViolation("\(description): \(violation.sentence)")
        }
    }
}

/// A ledger failed a check.
public struct ContractViolation: Error, Hashable, Sendable, CustomStringConvertible {
    public let sentence: String
    public init(_ sentence: String) { self.sentence = sentence }
    public var description: String { sentence }
}

/// The ledger that the contract checks, with the steps that many checks share.
struct LedgerUnderTest: Sendable {
    let ledger: any Ledger

    /// The time of all entries, unless a check gives another.
    static let now = Timestamp(unixSeconds: 1_750_000_000)
    /// The expiry of tokens: five minutes later.
    static let expiry = now.adding(milliseconds: 300_000)

    /// The keyed hash of a subject.
    static let subject = [UInt8](repeating: 0x5B, count: 32)

    init(_ ledger: some Ledger) { self.ledger = ledger }

    /// The outcome of a single entry.
    func commit(_ entry: LedgerEntry) async throws -> CommitOutcome {
        let outcomes = try await ledger.commit([entry])
        guard outcomes.count == 1, let outcome = outcomes.first else {
            throw ContractViolation("\(outcomes.count) outcomes for one entry")
        }
        return outcome
    }

    func expect(_ entry: LedgerEntry, _ expected: CommitOutcome, _ what: String) async throws {
        try same(await commit(entry), expected, what)
    }

    /// Registers a device and returns it.
    func register(_ device: Device) async throws -> Device {
        try await expect(.register(device), .committed, "a registration")
        return device
    }

    /// The record of a registered device.
    func device(_ id: DeviceID) async throws -> Device {
        guard let device = try await ledger.device(id) else { throw ContractViolation("the device is not found by its id") }
        return device
    }

    /// The device as a look-up by key finds it, which must equal that by id, and those among other keys.
    func bothWays(_ device: Device) async throws -> Device? {
        let key = DeviceKey(app: device.app, keyID: device.registration.keyID)
        let byKey = try await ledger.device(key)
        try same(byKey, await ledger.device(device.id), "the record by key and by id")
        let stranger = DeviceKey(app: device.app, keyID: SecureRandom.bytes(32))
        let among = try await ledger.devices(of: [stranger, key, stranger, key]).map { try $0.get() }
        try same(among, [nil, byKey, nil, byKey], "the records by keys")
        return byKey
    }

    func block(_ target: BlockTarget, reason: String = "stolen") async throws -> BlockChange? {
        try await ledger.block(target, reason: reason, at: Self.now)
    }

    /// Commits entries concurrently, each in a task of its own.
    func race(_ entries: [LedgerEntry]) async throws -> [CommitOutcome] {
        try await withThrowingTaskGroup(of: CommitOutcome.self) { group in
            for entry in entries { group.addTask { try await commit(entry) } }
            var outcomes: [CommitOutcome] = []
            for try await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
    }

    /// Commits entries that exclude each other concurrently: exactly one must be committed, and the others refused for `code`.
    func expectOneWinner(_ entries: [LedgerEntry], others code: ReasonCode) async throws {
        let outcomes = try await race(entries)
        try same(outcomes.count { $0 == .committed }, 1, "winners")
        try same(outcomes.count { $0 == .refused(code) }, entries.count - 1, "losers refused for \(code.rawValue)")
    }
}

extension LedgerUnderTest {
    /// The time of changes by `asked`.
    static let changedAt = now.adding(milliseconds: 12)

    /// A change that an operator asks for.
    static func asked(_ reason: String) -> ChangeContext { ChangeContext(.caller("operator"), at: changedAt, reason: reason) }

    /// The audit log continues after record `start` with exactly these changes, and is chained.
    ///
    /// - Parameter times: of the records; `nil`: all have that of changes by `asked`.
    func expectChanges(_ expected: [AuditChange], at times: [Timestamp]? = nil, after start: Int64) async throws {
        let page = try await ledger.audit(from: .min, limit: AuditPage.limit)
        var verifier = AuditVerifier(from: page.start)
        for row in page.rows { verifier.take(row) }
        try same(verifier.finish(), nil, "what is wrong with the chain")
        let found = page.rows.drop { $0.number <= start }
        try same(found.map { AuditEntry(decoding: $0.record) }, expected.map { .change($0) }, "the changes")
        try same(found.map(\.time), times ?? expected.map { _ in Self.changedAt }, "their times")
    }
}

/// Throws unless the two are equal.
func same<T: Equatable>(_ found: T, _ expected: T, _ what: String) throws(ContractViolation) {
    guard found == expected else { throw ContractViolation("\(what): found \(found), expected \(expected)") }
}

/// The number of concurrent calls in races.
let racers = 64
