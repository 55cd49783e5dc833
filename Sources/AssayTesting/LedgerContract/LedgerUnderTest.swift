import AssayCore

/// The ledger that sits the exam, with short words for what questions do again and again.
struct LedgerUnderTest: Sendable {
    let ledger: any Ledger

    /// When everything in the exam happens, unless a question says otherwise.
    static let now = Timestamp(unixSeconds: 1_750_000_000)
    /// When tokens of the exam expire: five minutes later.
    static let expiry = now.adding(milliseconds: 300_000)

    /// The keyed hash of somebody.
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

    /// The record of a device that must be there.
    func device(_ id: DeviceID) async throws -> Device {
        guard let device = try await ledger.device(id) else { throw ContractViolation("the device is not found by its name") }
        return device
    }

    /// The device as it is found by its key and by its name, which must be the same.
    func bothWays(_ device: Device) async throws -> Device? {
        let byKey = try await ledger.device(DeviceKey(app: device.app, keyID: device.registration.keyID))
        try same(byKey, await ledger.device(device.id), "the record by key and by name")
        return byKey
    }

    func block(_ target: BlockTarget, reason: String = "stolen") async throws -> BlockChange? {
        try await ledger.block(target, reason: reason, at: Self.now)
    }

    /// Commits entries at the same time, each by a task of its own.
    func race(_ entries: [LedgerEntry]) async throws -> [CommitOutcome] {
        try await withThrowingTaskGroup(of: CommitOutcome.self) { group in
            for entry in entries { group.addTask { try await commit(entry) } }
            var outcomes: [CommitOutcome] = []
            for try await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
    }

    /// Lets entries exclude each other, in a race and in one call: exactly one may win, and the rest must hear `code`.
    func expectOneWinner(_ entries: [LedgerEntry], others code: ReasonCode) async throws {
        let outcomes = try await race(entries)
        try same(outcomes.count { $0 == .committed }, 1, "winners")
        try same(outcomes.count { $0 == .refused(code) }, entries.count - 1, "losers that heard \(code.rawValue)")
    }
}

/// Throws unless the two are equal.
func same<T: Equatable>(_ found: T, _ expected: T, _ what: String) throws(ContractViolation) {
    guard found == expected else { throw ContractViolation("\(what): found \(found), expected \(expected)") }
}

/// How many race in the exam.
let racers = 64
