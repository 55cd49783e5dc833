import AssayCore

/// A request that was appraised, with all that its appraisal went by.
struct AppraisedRequest: Sendable {
    let prepared: VerificationCase
    let appraisals: [Appraisal]

    init(_ prepared: VerificationCase, _ appraisals: [Appraisal]) { (self.prepared, self.appraisals) = (prepared, appraisals) }

    /// In bytes, approximately.
    var weight: Int { prepared.admitted.request.weight }
}

/// A request whose answer is decided.
struct JudgedRequest: Sendable {
    let admitted: AuthorizedRequest
    let answer: Answer
    /// What was known before the appraisal; `nil` for a request that was not looked at.
    let known: RequestFacts?
    /// `nil`: its evidence was not appraised.
    let appraised: AppraisedRequest?

    init(_ admitted: AuthorizedRequest, _ answer: Answer, _ known: RequestFacts?, _ appraised: AppraisedRequest?) {
        (self.admitted, self.answer, self.known, self.appraised) = (admitted, answer, known, appraised)
    }
}

extension VerificationRequest {
    /// In memory, approximately, in bytes.
    var weight: Int { evidence.reduce(4096 + signals.count) { $0 + $1.size } }
}

/// What goes on with judged requests after their answer is decided: they are recorded, and judged by the app's shadow policy. Neither waits nor
/// decides. Requests for certificates are left out.
package struct VerdictFollowers: Sendable {
    private let recorder: FactRecorder
    private let shadow: ShadowJudge

    package init(recorder: FactRecorder, shadow: ShadowJudge) { (self.recorder, self.shadow) = (recorder, shadow) }

    func judged(_ requests: [JudgedRequest]) {
        let followed = requests.filter { $0.admitted.profile.isFollowed && $0.admitted.step == nil }
        let recorded = followed.filter { $0.admitted.profile.recording != nil }
        if !recorded.isEmpty { recorder.judged(recorded) }
        for request in followed where request.admitted.profile.shadow != nil {
            switch request.answer {
            case .verdict, .completed, .reported, .failed: shadow.take(request.admitted, request.appraised)
            case .repeated, .abandoned: break
            }
        }
    }
}
