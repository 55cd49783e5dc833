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
    /// A `FailureCode` if the outcome is `fail`; otherwise the note's code, or empty.
    public let code: String
    /// A sentence for people, visible characters alone.
    public let detail: String
    /// What findings of plugins have. Others hold one word in place of it: a verdict has some fifteen findings, and each is copied and stored.
    private let ofPlugin: OfPlugin?

    /// What the relying party may do after a failure whose code is not built in; `nil` for all other findings.
    public var retry: RetryClass? { ofPlugin?.retry }

    /// The code of another system for `code`, as a plugin declared it; empty: none.
    public var vendorCode: String {
        get { ofPlugin?.vendorCode ?? "" }
        set {
            self = Finding(
                check: check, outcome: outcome, code: code, detail: detail,
                ofPlugin: retry == nil && newValue.isEmpty ? nil : OfPlugin(retry: retry, vendorCode: newValue))
        }
    }

    private final class OfPlugin: Hashable, Sendable {
        let retry: RetryClass?
        let vendorCode: String

        /// Only where there is one of the two: an initializer that fails would have made the object before.
        init(retry: RetryClass?, vendorCode: String) {
            (self.retry, self.vendorCode) = (retry, vendorCode)
        }

        static func == (a: OfPlugin, b: OfPlugin) -> Bool { a.retry == b.retry && a.vendorCode == b.vendorCode }

        func hash(into hasher: inout Hasher) {
            hasher.combine(retry)
            hasher.combine(vendorCode)
        }
    }
}

extension Finding {
    // In an extension, so that the compiler makes the initializer of all fields: one that sets them itself would copy what it built.
    public init(check: String, outcome: Outcome, code: String = "", detail: String = "", retry: RetryClass? = nil) {
        // Most findings are passed checks, which say nothing more.
        self.init(
            check: check, outcome: outcome, code: code, detail: detail.isEmpty ? detail : detail.visible,
            ofPlugin: retry == nil ? nil : OfPlugin(retry: retry, vendorCode: ""))
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
    /// The name of the findings about signals and the confidence that they give.
    public static let confidenceCheck = "confidence"
    /// The code of the note that the same statement was accepted before.
    public static let repeatedStatement = "statement_repeated"

    /// The rejection by a failed check, with the check's own code; `nil` for another outcome.
    public var rejection: Rejection? {
        guard outcome == .fail else { return nil }
        return Rejection(FailureCode(rawValue: code) ?? .malformed, detail, retry: retry)
    }
}

extension [Finding] {
    /// The first one with an outcome. By index: an iterator would copy each finding.
    func first(_ outcome: Finding.Outcome) -> Finding? {
        for index in indices where self[index].outcome == outcome { return self[index] }
        return nil
    }
}

/// The mode of an appraisal for a person who wants to see everything that is wrong (`assay inspect`), not for a verdict.
///
/// An examined appraisal continues after a failed check as far as later checks do not need its result, so that every failure is
/// shown. A check whose input was not given is *not judged*: its finding is skipped, with the code `not_judged` and the reason,
/// and counts neither as good nor as bad. An examined appraisal requests no effect.
public struct Examination: Hashable, Sendable {
    /// Why a check is not judged, as a sentence, by the name of the check.
    public var notJudged: [String: String]

    public init(notJudged: [String: String] = [:]) { self.notJudged = notJudged }

    @usableFromInline
    func finding(_ check: String) -> Finding? {
        notJudged[check].map { Finding(check: check, outcome: .skipped, code: Finding.notJudged, detail: $0) }
    }
}

extension Finding {
    /// The code of a check that was not judged, since an input was not given.
    public static let notJudged = "not_judged"
}

extension Appraisal {
    /// Records a check that the policy does not require.
    public mutating func skip(_ check: String) {
        findings.append(examination?.finding(check) ?? Finding(check: check, outcome: .skipped))
    }

    /// Runs a step without a result for later ones. A rejection is recorded and ends the list; in an examination, and under a report of
    /// every failure, it is only recorded.
    public mutating func check(_ name: String, _ step: () throws(Rejection) -> Void) throws(Rejection) {
        if let finding = examination?.finding(name) { return findings.append(finding) }
        do {
            try step()
            findings.append(.pass(name))
        } catch {
            fail(name, error)
            guard examination != nil || report == .all else { throw error }
        }
    }
}
