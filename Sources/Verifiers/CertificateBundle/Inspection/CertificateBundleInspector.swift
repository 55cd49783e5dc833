import AssayCertificates
import AssayCore
import AssaySchemes

/// Inspects bundles in JSON: under an app's policy; without one they are only explained.
struct CertificateBundleInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: EvidenceFormat.certificateBundle.rawValue)

    /// No other kind of file has a member of this name.
    let recognition = InspectedKind.Recognition.content("\"bundle_signature\"")

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        CertificateBundleExplanation.bundle(bytes, arc: section(of: subject)?.policy.arc)
    }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        guard let section = section(of: subject), let app = subject.app else {
            return InspectionResult([], remarks: ["Nothing is judged: \(Examination.app)."])
        }
        let verifier = CertificateBundleVerifier(
            policy: section.policy, authorities: DeviceAuthorities(foreign: section.authorities),
            lists: section.lists.map { IssuerRevocationList(issuer: $0.issuer, source: $0.file) }, app: app, fleet: nil,
            judges: [])
        let findings = verifier.appraise(
            CertificateBundle.json(input.bytes).evidence,
            in: AppraisalContext(binding: .inEvidence, now: input.now, examination: Examination())
        ).findings
        return InspectionResult(
            findings,
            remarks: [
                "The secret, the device and the certificate's record are not judged here: only the daemon has the registry."
            ])
    }

    private func section(of subject: InspectionSubject) -> CertificateBundleSection? {
        CertificateBundleScheme.sectionKey.flatMap { subject.sections[$0] as? CertificateBundleSection }
    }

    func meaning(of check: String) -> String? { CertificateBundleCheck.meaning(of: check) ?? ChainCheck.meaning(of: check) }
}

/// Describes for people what each check of a bundle compares. The names are those of the findings; a chain's are those of every chain.
enum CertificateBundleCheck {
    static func meaning(of check: String) -> String? { meanings[check] }

    private static let meanings: [String: String] = [  // not text from outside
        "size": "the bundle against the longest that is read",
        "form": "strict JSON, and members of the form that bundles have",
        "split": "a bundle of which only the digest is shown against what the app allows",
        "signature_form": "64 bytes or strict DER, both numbers in range",
        "certificate": "camera_cert against Base64 of DER or PEM, and strict X.509",
        "chain_algorithms": "signature algorithms and keys against those that are strong enough",
        "authority_validity": "the time of judgement against the validity of the CA that the configuration names",
        "curve": "the certificate's key against P-256",
        "revocation": "the certificates against the revocation lists of their issuers",
        "signature": "the signature over the four lines against the certificate's key",
        "timestamp": "the time in the bundle against max_future and max_age",
    ]
}
