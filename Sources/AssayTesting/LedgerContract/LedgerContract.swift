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
        + ClockMemoryStoreContract.checks + LedgerMaintenanceContract.checks

    /// Runs all checks, each on a new ledger.
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
