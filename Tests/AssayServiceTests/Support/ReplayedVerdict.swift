import AssayAPI
import AssayCore
import Testing

@testable import AssayService

/// Each verdict of a harness is judged again from its recording, under the policy that judged it: the answer has to be the same.
extension ServiceHarness {
    /// Checks that a replay tells no verdict apart from this recording of one: by the same rules over the same facts it comes to the same decision,
    /// or says that no policy decided.
    func checkReplay(of content: RecordingContent, _ request: VerificationRequest) throws {
        let recording = try #require(Recording(decoding: content.recording))
        let app = recording.record.request.app
        guard let profile = apps[app] else { return }
        let reason = recording.record.reason
        guard let opened = factRecorder.evidence(of: content) else {
            // Nothing is kept of what no policy decides, and of evidence of several registered devices.
            #expect(
                ReplayLimit.explains(reason) || !request.idempotencyKey.isEmpty || reason?.code == "device_mismatch",
                "\(String(describing: reason)): no evidence is kept")
            return
        }
        let evidence = try #require(RecordedEvidence(decoding: opened), "the kept evidence cannot be read")
        let trial = RecordingTrial(profile, changed: [], isShownByClaims: { _ in true })
        switch trial.judge(recording, evidence: evidence) {
        case .judged(let difference, let byEvidence):
            #expect(byEvidence && difference.change == .same && difference.before == difference.after, "\(difference)")
        case .notJudged(let obstacle):
            #expect(
                ReplayLimit.explains(reason) || !request.idempotencyKey.isEmpty,
                "\(reason.map { "\($0.check): \($0.code)" } ?? "accepted"): \(obstacle)")
        }
    }
}

/// The rejections that a replay does not come to, since they rest on what a live verdict alone knows.
enum ReplayLimit {
    /// The checks of what a verdict takes, spends or changes, each with the reason why nothing recorded shows it.
    static let checks = [
        "commit": "the ledger decides at the commit, against what was accepted meanwhile",
        "use": "the ledger knows which tokens are spent",
        "idempotency": "the ledger keeps the earlier request of the key",
    ]
    /// Reason codes of the check `challenge`.
    static let challengeCodes = [
        "challenge_invalid": "only a daemon with the key can tell that the tag is wrong",
        "challenge_attempts_exceeded": "the daemon counts the attempts",
    ]

    static func explains(_ reason: VerdictRecord.Reason?) -> Bool {
        guard let reason else { return false }
        return checks[reason.check] != nil || (reason.check == "challenge" && challengeCodes[reason.code] != nil)
    }
}
