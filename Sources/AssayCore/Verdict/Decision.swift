/// The policy's decision over the appraisals of one request.
public enum Decision: Hashable, Sendable {
    /// All checks passed; the assurance is the minimum of the pieces, without supplements.
    case accept(Assurance)
    /// The first failure in documented order.
    case reject(Rejection, check: String)
    /// Nothing failed, but a required fact is unavailable: nothing is decided and nothing is spent.
    case unavailable(check: String, detail: String)

    /// Whether it is a rejection.
    public var isRejection: Bool { if case .reject = self { true } else { false } }

    /// Any failure rejects; otherwise anything unavailable leaves the decision open; otherwise the request is accepted. An
    /// empty list is never accepted.
    public init(_ appraisals: [Appraisal]) {
        for appraisal in appraisals {
            guard let failure = appraisal.failure, let rejection = failure.rejection else { continue }
            self = .reject(rejection, check: failure.check)
            return
        }
        for appraisal in appraisals {
            guard let missing = appraisal.firstFinding(.unavailable) else { continue }
            self = .unavailable(check: missing.check, detail: missing.detail)
            return
        }
        // A supplement counts if there are only supplements.
        let onlySupplements = appraisals.allSatisfy(\.isSupplement)
        let bearing = appraisals.lazy.filter { onlySupplements || !$0.isSupplement }
        guard let assurance = bearing.map(\.assurance).min(), appraisals.allSatisfy({ $0.assurance > .none }) else {
            self = .reject(Rejection(.formatNotAccepted, "no evidence supports any assurance"), check: "evidence")
            return
        }
        self = .accept(assurance)
    }
}
