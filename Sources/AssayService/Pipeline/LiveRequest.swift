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
    /// What a rejection is answered by that is not enforced; `nil` for apps that enforce all.
    let judged: Judged?

    /// The appraisals, and what was known before them.
    final class Followed {
        var appraised: AppraisedRequest?
        var known: RequestFacts?
    }

    /// What is known of a request once it is judged.
    final class Judged {
        /// `nil`: it is not known what the device had to sign.
        var freshness: Freshness?
        /// Whether the judgement came to the evidence: what ends before may have left out whether it is a replay.
        private(set) var isAppraised = false
        /// The registered device that the evidence names.
        var device: Device?
        /// What the evidence says, each piece for itself; empty for what was not appraised.
        var claims: [Claims] = []
        var platform: DevicePlatform?
        /// What an acceptance would use up of the evidence.
        var uses: [EvidenceUse] = []

        func note(_ prepared: VerificationCase, _ appraisals: [Appraisal]) {
            isAppraised = true
            freshness = prepared.freshness
            claims = appraisals.map(\.claims)
            platform = prepared.platform(appraisals)
            uses = appraisals.flatMap(\.uses)
        }
    }

    init(_ admitted: AuthorizedRequest) {
        self.admitted = admitted
        judged = admitted.profile.enforcement.reports && admitted.step == nil ? Judged() : nil
        followed = admitted.profile.isFollowed ? Followed() : nil
    }

    var answer: Answer { if case .ended(let answer) = stage { answer } else { .abandoned } }
}
