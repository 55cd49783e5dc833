import AssayCore

/// A request on its way through the stages. Used by one task. A class, since what it holds is long and each stage would copy it.
final class LiveRequest {
    enum Stage {
        case begun
        case prepared(VerificationCase)
        case appraised(VerificationCase, [Appraisal])
        /// Accepted by the policy; the request's step is to be performed.
        case decided(DecidedRequest)
        case accepted(PendingAcceptance)
        case ended(Answer)
    }

    let admitted: AuthorizedRequest
    var stage = Stage.begun
    var taken = Reservations.Taken()
    /// For what goes on after the answer; `nil` for apps that are not followed.
    let followed: Followed?

    /// The appraisals, and what was known before them.
    final class Followed {
        var appraised: AppraisedRequest?
        var known: RequestFacts?
    }

    init(_ admitted: AuthorizedRequest) {
        self.admitted = admitted
        followed = admitted.profile.isFollowed ? Followed() : nil
    }

    var answer: Answer { if case .ended(let answer) = stage { answer } else { .abandoned } }
}
