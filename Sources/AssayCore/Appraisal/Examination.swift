/// The mode of an appraisal for a person who wants to see everything that is wrong (`assay inspect`), not for a verdict.
///
/// An examined appraisal continues after a failed check as far as later checks do not need its result, so that every failure is
/// shown. A check whose input was not given is *not judged*: its finding is skipped, with the code `not_judged` and the reason,
/// and counts neither as good nor as bad. An examined appraisal requests no effect.
public struct Examination: Hashable, Sendable {
    /// Why a check is not judged, as a sentence, by the name of the check.
    public var notJudged: [String: String]

    public init(notJudged: [String: String] = [:]) { self.notJudged = notJudged }

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

    /// Runs a step without a result for later ones. A rejection is recorded and ends the list; in an examination it is only
    /// recorded.
    public mutating func check(_ name: String, _ step: () throws(Rejection) -> Void) throws(Rejection) {
        if let finding = examination?.finding(name) { return findings.append(finding) }
        do {
            try step()
            findings.append(.pass(name))
        } catch {
            findings.append(.fail(name, error))
            guard examination != nil else { throw error }
        }
    }
}
