import AssayCore

/// Takes each signature for one by the certificate's key, so that certificates are renewed that are not X.509.
struct StandInSignatureVerifier: EvidenceVerifier {
    let format: EvidenceFormat = .certificateSignature
    let purposes: Set<Purpose> = [.renew]
    let sizeLimit = 100
    let replayProtection = ReplayProtection.challenge()

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { Needs(certificate: .key(evidence.keyID)) }

    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let certificate = try appraisal.check("certificate_record") { () throws(Rejection) in
            guard let certificate = context.facts.certificate else { throw Rejection(.unknownCertificate, "not on record") }
            return certificate
        }
        appraisal.assurance = certificate.basis.assurance
        appraisal.restsOn = certificate.name
    }
}
