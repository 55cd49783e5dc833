/// How evidence is judged for a person who wants to see all that is wrong with it (`assay inspect`), not for a verdict.
///
/// An examined appraisal goes on after a check that fails, as far as what failed is not needed to go on, so that every failure
/// is shown. A check that needs something which was not given is *not judged*: it stands among the findings as skipped, with
/// the code `not_judged` and the reason, and counts neither as good nor as bad. An examined appraisal asks for no effect.
public struct Examination: Hashable, Sendable {
    /// Why a check is not judged, a sentence, by the name of the check.
    public var notJudged: [String: String]

    public init(notJudged: [String: String] = [:]) { self.notJudged = notJudged }

    func finding(_ check: String) -> Finding? {
        notJudged[check].map { Finding(check: check, outcome: .skipped, code: Finding.notJudged, detail: $0) }
    }
}

extension Finding {
    /// The code of a check that was not judged, since something that it needs was not given.
    public static let notJudged = "not_judged"
}

extension Appraisal {
    /// Records a check that policy does not ask for.
    public mutating func skip(_ check: String) {
        findings.append(examination?.finding(check) ?? Finding(check: check, outcome: .skipped))
    }

    /// Runs a step that gives nothing which later ones need. A rejection is recorded and ends the list; under an examination
    /// it is recorded only.
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
