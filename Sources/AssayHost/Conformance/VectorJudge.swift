import AssayCore

/// Judges the vectors of one kind through the verifiers that the daemon runs.
protocol VectorJudge: Sendable {
    var kind: String { get }
    func judge(_ vector: Vector) throws(VectorError) -> VectorOutcome
}

/// What our verifiers make of a vector.
struct VectorOutcome {
    /// `nil`: accepted.
    let rejection: Rejection?
    let claims: Claims

    init(_ appraisal: Appraisal) {
        switch Decision([appraisal]) {
        case .accept: rejection = nil
        case .reject(let reason, _): rejection = reason
        case .unavailable(_, let detail): rejection = Rejection(.formatNotAccepted, "unavailable: \(detail)")
        }
        claims = appraisal.claims
    }

    init(rejection: Rejection) {
        self.rejection = rejection
        claims = Claims()
    }
}
