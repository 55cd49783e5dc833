import AssayCore
import AssaySchemes

/// Checks a challenge by its fields. Only the daemon's key can tell whether the daemon issued it.
struct ChallengeInspector: EvidenceInspector {
    let kind = InspectedKind.challenge
    let recognition = InspectedKind.Recognition.remaining { (try? Challenge(parsing: $0)) != nil }

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation { Challenge.explain(bytes) }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        let app = subject.app
        var examination = Examination()
        if input.purpose == nil { examination.leaveOut("challenge_purpose", because: "no purpose was given (--purpose)") }
        if app == nil { examination.leaveOut("challenge_app", because: Examination.app) }
        examination.leaveOut("challenge_tag", because: "only the daemon that issues challenges has the key")
        let appraisal = Appraisal.build(EvidenceFormat(rawValue: "challenge"), under: examination) {
            (appraisal) throws(Rejection) in
            let challenge = try appraisal.check("challenge_form") { () throws(Rejection) in try Challenge(parsing: input.bytes)
            }
            try appraisal.require(
                "challenge_purpose", challenge.purpose == input.purpose, else: .challengeWrongPurpose,
                "the challenge is for \(challenge.purpose.name)")
            try appraisal.require(
                "challenge_app", app.map(challenge.isFor) ?? true, else: .challengeInvalid, "the challenge is another app's")
            try appraisal.require(
                "challenge_expiry", input.now < challenge.expiry, else: .challengeExpired,
                "it expired at \(challenge.expiry)")
            try appraisal.check("challenge_tag") { () throws(Rejection) in }
        }
        return InspectionResult(
            appraisal.findings, remarks: ["Whether it was spent only the daemon's ledger can tell."])
    }

    /// What each check compares.
    func meaning(of check: String) -> String? { Self.meanings[check] }

    private static let meanings: [String: String] = [
        "challenge_form": "the bytes against 54 bytes of version 1 with a known purpose",
        "challenge_purpose": "the purpose against the one that it is to be used for",
        "challenge_app": "the app's prefix against the app",
        "challenge_expiry": "the time of judgement against the expiry",
        "challenge_tag": "the tag against the daemon's key, the app and the context",
    ]
}
