package import AssayCore
import AssayService

/// One case of a policy's tests: what is given, when, and what the policy must decide.
package struct PolicyCase: Sendable {
    /// What the policy judges.
    package enum Subject: Sendable {
        /// Evidence, by the daemon's pipeline.
        case evidence(VerificationRequest)
        /// A device as it stands on record: what its registration is worth under the policy.
        case device(Device)
    }

    package enum Expectation: Hashable, Sendable {
        /// `nil`: with any assurance.
        case accepted(Assurance?)
        /// For one of these codes.
        case rejected([String])
        /// The check that cannot be made; `nil`: any.
        case unjudged(check: String?)
    }

    package let name: String
    /// In the file; `nil` if it is not known.
    package let line: Int?
    package let app: AppID
    package let now: Timestamp
    package let subject: Subject
    /// The name of the case whose evidence is accepted before, so that its device is on record.
    package let after: String?
    package let expectation: Expectation
}

/// The outcome of one case.
package struct PolicyCaseResult: Sendable {
    package let name: String
    package let line: Int?
    package let expected: String
    package let found: String
    /// A sentence beside what was found; empty for an acceptance.
    package let detail: String
    package let passed: Bool
}

extension PolicyCase.Expectation {
    /// As results show it.
    var shown: String {
        switch self {
        case .accepted(let assurance): "accepted" + (assurance.map { " (\($0.name))" } ?? "")
        case .rejected(let codes): "rejected: " + codes.joined(separator: " or ")
        case .unjudged(let check): "unjudged" + (check.map { " (check \($0))" } ?? "")
        }
    }

    func isMet(by outcome: TrialOutcome) -> Bool {
        switch (self, outcome) {
        case (.accepted(let wanted), .accepted(let found)): wanted.map { $0 == found } ?? true
        case (.rejected(let codes), .rejected(let rejection, _)): codes.contains { $0.hasBytes(of: rejection.code.rawValue) }
        case (.unjudged(let wanted), .unjudged(let check, _)): wanted.map { $0.hasBytes(of: check) } ?? true
        default: false
        }
    }
}

extension TrialOutcome {
    /// As results show it, and the sentence beside it.
    var shown: (word: String, detail: String) {
        switch self {
        case .accepted(let assurance): ("accepted (\(assurance.name))", "")
        case .rejected(let rejection, let check):
            ("rejected: \(rejection.code.rawValue)", "check \(check): \(rejection.detail)")
        case .unjudged(let check, let detail): ("unjudged (check \(check))", detail)
        }
    }
}
