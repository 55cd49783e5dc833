public import AssayCore

/// What every ledger must be able to do, as questions. It needs no test framework: a ledger that fails makes `ask`
/// throw an `ContractViolation`, or whatever the ledger itself threw.
///
///     for question in LedgerContract.questions { try await question.ask(makeLedger()) }
public enum LedgerContract {
    /// One promise, put to a new and empty ledger.
    public struct Question: Sendable, CustomStringConvertible {
        /// A sentence: what the ledger does.
        public let description: String
        let body: @Sendable (LedgerUnderTest) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (LedgerUnderTest) async throws -> Void) {
            (self.description, self.body) = (description, body)
        }

        public func ask(_ ledger: some Ledger) async throws {
            do {
                try await body(LedgerUnderTest(ledger))
            } catch let failure as ContractViolation {
                throw ContractViolation("\(description): \(failure.sentence)")
            }
        }
    }

    public static let questions: [Question] =
        recordQuestions + spendQuestions + counterQuestions + registrationQuestions + idempotencyQuestions + blockQuestions
        + blockTargetQuestions + blockedSubjectQuestions + blockListingQuestions + forgettingQuestions
        + listingQuestions + importQuestions + receiptQuestions + subjectQuestions + attestationKeyQuestions
        + atomicityQuestions + orderQuestions
        + logQuestions
        + auditQuestions + changeQuestions + auditClaimsQuestions + secretQuestions + clockQuestions

    /// Asks everything, each question of a ledger of its own.
    public static func run(_ makeLedger: () async throws -> some Ledger) async throws {
        for question in questions { try await question.ask(try await makeLedger()) }
    }
}

/// A ledger did not keep a promise.
public struct ContractViolation: Error, Hashable, Sendable, CustomStringConvertible {
    public let sentence: String
    public init(_ sentence: String) { self.sentence = sentence }
    public var description: String { sentence }
}
