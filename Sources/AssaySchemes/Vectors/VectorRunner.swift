package import AssayCertificates
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
        rejection = appraisal.failure?.rejection
        claims = appraisal.claims
    }

    package init(rejection: Rejection?, claims: Claims = Claims()) { (self.rejection, self.claims) = (rejection, claims) }
}

/// Size, locate and appraise, as in the pipeline.
package func judgeFully(_ verifier: some EvidenceVerifier, _ evidence: Evidence, _ context: AppraisalContext) -> VectorOutcome {
    do throws(Rejection) {
        let bounded = try verifier.bounded(evidence)
        _ = try verifier.locate(bounded)
        return VectorOutcome(verifier.appraise(bounded, in: context))
    } catch {
        return VectorOutcome(rejection: error)
    }
}

extension VectorInput {
    /// A policy's anchors: the groups of `trusted_roots`, and `extra_roots_pem`.
    ///
    /// - Parameter usual: the group that is trusted by default.
    package func anchors(groups: [String: [TrustAnchor]], by usual: String) throws(VectorError) -> [TrustAnchor] {
        var anchors: [TrustAnchor] = []
        for name in try texts("trusted_roots") ?? [usual] {
            guard let group = groups[name] else { throw VectorError("no group of roots is named \(name)") }
            anchors += group
        }
        for pem in try texts("extra_roots_pem") ?? [] {
            do throws(Rejection) {
                anchors.append(try TrustAnchor(name: "extra_roots_pem", pem: pem, simulated: false))
            } catch {
                throw VectorError("extra_roots_pem: \(error)")
            }
        }
        return anchors
    }
}
