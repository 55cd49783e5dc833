import AssayCore

/// A request that was appraised, with all that its appraisal went by.
struct AppraisedRequest: Sendable {
    let prepared: VerificationCase
    let binding: Binding
    let appraisals: [Appraisal]

    init(_ prepared: VerificationCase, _ binding: Binding, _ appraisals: [Appraisal]) {
        (self.prepared, self.binding, self.appraisals) = (prepared, binding, appraisals)
    }

    /// In bytes, approximately.
    var weight: Int { prepared.admitted.request.weight }
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

    /// - Parameter appraised: those of the requests that were appraised, by their index, in order.
    func judged(
        _ requests: [AuthorizedRequest], _ answers: [Answer], _ appraised: [(index: Int, request: AppraisedRequest)]
    ) {
        var rest = appraised[...]
        var recorded: [FactRecorder.Judged] = []
        for (index, (request, answer)) in zip(requests, answers).enumerated() {
            var known: AppraisedRequest?
            if let first = rest.first, first.index == index {
                known = first.request
                rest = rest.dropFirst()
            }
            guard request.profile.isFollowed, request.step == nil else { continue }
            if request.profile.recording != nil { recorded.append((request, answer, known)) }
            guard request.profile.shadow != nil else { continue }
            switch answer {
            case .verdict, .completed, .failed: shadow.take(request, known)
            case .repeated, .abandoned: break
            }
        }
        if !recorded.isEmpty { recorder.judged(recorded) }
    }
}
