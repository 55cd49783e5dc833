/// The result of one named check.
public struct Finding: Hashable, Sendable {
    public enum Outcome: UInt8, CaseIterable, Hashable, Sendable {
        case pass = 1
        case fail = 2
        /// A fact that the check needs is unavailable.
        case unavailable = 3
        /// Not done, because an earlier check failed or the policy does not require it.
        case skipped = 4
        /// Worth knowing, and never a reason for rejection: a named leniency, or something not reported.
        case note = 5
    }

    /// Stable name of the check, e.g. `nonce`.
    public let check: String
    public let outcome: Outcome
    /// What the relying party may do after a failure whose code is not built in; `nil` for all other findings.
    public let retry: RetryClass?
    /// A `FailureCode` if the outcome is `fail`; otherwise the note's code, or empty.
    public let code: String
    /// A sentence for people.
    public let detail: String

    public init(check: String, outcome: Outcome, code: String = "", detail: String = "", retry: RetryClass? = nil) {
        (self.check, self.outcome, self.code, self.detail, self.retry) = (check, outcome, code, detail, retry)
    }

    public static func pass(_ check: String) -> Finding { Finding(check: check, outcome: .pass) }
    public static func fail(_ check: String, _ rejection: Rejection) -> Finding {
        Finding(
            check: check, outcome: .fail, code: rejection.code.rawValue, detail: rejection.detail,
            retry: rejection.code.builtIn == nil ? rejection.retry : nil)
    }
    public static func note(_ check: String, _ code: String, _ detail: String) -> Finding {
        Finding(check: check, outcome: .note, code: code, detail: detail)
    }
    /// The rejection by a failed check, with the check's own code; `nil` for another outcome.
    public var rejection: Rejection? {
        guard outcome == .fail else { return nil }
        return Rejection(FailureCode(rawValue: code) ?? .malformed, detail, retry: retry)
    }
}
