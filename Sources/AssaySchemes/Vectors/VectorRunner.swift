package import AssayCore

/// Runs the vectors of one kind through the daemon's verifiers.
package protocol VectorRunner: Sendable {
    var kind: String { get }
    func judge(_ vector: Vector) throws(VectorError) -> VectorOutcome
}

/// The verifiers' outcome of a vector.
package struct VectorOutcome {
    /// `nil`: accepted.
    package let rejection: Rejection?
    package let claims: Claims

    package init(_ appraisal: Appraisal) {
        switch Decision([appraisal]) {
        case .accept: rejection = nil
        case .reject(let reason, _): rejection = reason
        case .unavailable(_, let detail): rejection = Rejection(.formatNotAccepted, "unavailable: \(detail)")
        }
        claims = appraisal.claims
    }

    /// The outcome of an appraisal without an assurance of its own: the first failure decides.
    package init(unassured appraisal: Appraisal) {
        rejection = appraisal.failure.map { failure in
            Rejection(ReasonCode(rawValue: failure.code) ?? .formatNotAccepted, failure.detail)
        }
        claims = appraisal.claims
    }

    package init(rejection: Rejection?, claims: Claims = Claims()) { (self.rejection, self.claims) = (rejection, claims) }
}

/// Size, locate and appraise, as in the pipeline.
package func judgeFully(_ verifier: some EvidenceVerifier, _ evidence: Evidence, _ context: AppraisalContext) -> VectorOutcome {
    guard evidence.body.count <= verifier.sizeLimit else {
        return VectorOutcome(rejection: Rejection(.evidenceTooLarge, "\(evidence.body.count) bytes"))
    }
    do throws(Rejection) {
        _ = try verifier.locate(evidence)
    } catch {
        return VectorOutcome(rejection: error)
    }
    return VectorOutcome(verifier.appraise(evidence, in: context))
}
