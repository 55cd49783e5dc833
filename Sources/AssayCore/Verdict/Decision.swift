/// What policy makes of the appraisals of one request.
public enum Decision: Hashable, Sendable {
    /// All is good; the assurance is the minimum of the pieces, but for those that only add to others.
    case accept(Assurance)
    /// The first failure in documented order.
    case reject(Rejection, check: String)
    /// Nothing failed, but something that is required could not be had: nothing is decided and nothing is spent.
    case unavailable(check: String, detail: String)

    /// Whether a failure was found.
    public var isRejection: Bool { if case .reject = self { true } else { false } }

    /// Any failure rejects; otherwise anything unavailable leaves the question open; otherwise all is accepted.
    /// No appraisals at all are never accepted.
    public init(_ appraisals: [Appraisal]) {
        for appraisal in appraisals {
            guard let failure = appraisal.failure else { continue }
            // A failure always carries a code of the enumeration: only a rejection makes one.
            let code = ReasonCode(rawValue: failure.code) ?? .formatNotAccepted
            self = .reject(Rejection(code, failure.detail), check: failure.check)
            return
        }
        for appraisal in appraisals {
            guard let missing = appraisal.firstFinding(.unavailable) else { continue }
            self = .unavailable(check: missing.check, detail: missing.detail)
            return
        }
        // What only adds to others counts where there are no others.
        let onlySupplements = appraisals.allSatisfy(\.isSupplement)
        let bearing = appraisals.lazy.filter { onlySupplements || !$0.isSupplement }
        guard let assurance = bearing.map(\.assurance).min(), appraisals.allSatisfy({ $0.assurance > .none }) else {
            self = .reject(Rejection(.formatNotAccepted, "no evidence supports any assurance"), check: "evidence")
            return
        }
        self = .accept(assurance)
    }
}
