import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCore
import AssaySimulator
import AssayTesting
import Testing

@testable import AssayService

@Suite("Recorded verdicts that are judged again", .timeLimit(.minutes(30)))
struct RecordingTrialTests {
    /// What a candidate makes of each recording of a harness.
    private func replay(
        _ harness: ServiceHarness, _ candidate: AppProfile, changed: [String] = [], shown: Bool = true,
        claimsOnly: Bool = false
    ) async throws -> [RecordingTrial.Outcome] {
        let trial = RecordingTrial(candidate, changed: changed, isShownByClaims: { _ in shown })
        return try await harness.recordings.all().map { content in
            let recording = try #require(Recording(decoding: content.recording))
            let evidence =
                claimsOnly ? nil : harness.factRecorder.evidence(of: content).flatMap(RecordedEvidence.init(decoding:))
            return trial.judge(recording, evidence: evidence)
        }
    }

    private func changes(_ outcomes: [RecordingTrial.Outcome]) -> [VerdictChange?] {
        outcomes.map { if case .judged(let difference, _) = $0 { difference.change } else { nil } }
    }

    private func obstacles(_ outcomes: [RecordingTrial.Outcome]) -> [RecordingTrial.Obstacle] {
        outcomes.compactMap { if case .notJudged(let obstacle) = $0 { obstacle } else { nil } }
    }

    /// A list of the board's own version, without entries.
    private func board() -> RevocationBoard {
        let board = RevocationBoard()
        board.revoke([])
        return board
    }

    private func android(
        _ policy: AndroidPolicy = .testing, _ board: RevocationBoard, recording rule: RecordingRule = .withEvidence
    ) async throws -> ServiceHarness {
        try await ServiceHarness([try AppProfile.android(policy, board: board).followed(recording: rule)])
    }

    /// A registration and an upload of a phone. Returns the reason of the last verdict.
    @discardableResult
    private func traffic(_ harness: ServiceHarness, _ phone: VirtualAndroid = .testing()) async throws -> String {
        var phone = phone
        let key = try phone.makeKey()
        let first = try await harness.verify(try key.registration(try await harness.challenge(.register)))
        guard first.isAccepted else { return first.reason }
        return try await harness.verify(try key.upload(try await harness.challenge(.assert))).reason
    }

    @Test("Under the same policy no verdict of either platform flips, by evidence and by claims", arguments: [false, true])
    func unchanged(claimsOnly: Bool) async throws {
        let list = board()
        let phones = try await android(.testing, list)
        for level in [VirtualAndroid.Level.trustedEnvironment, .strongBox] { try await traffic(phones, .testing(level)) }
        let android = try await replay(phones, try .android(board: list), claimsOnly: claimsOnly)
        #expect(android.count == 4 && changes(android).allSatisfy { $0 == .same }, "\(android)")
        let profile = try AppProfile.testing(.camera)
        let apple = try await ServiceHarness([profile.followed(recording: .withEvidence)])
        var (handset, _) = try await apple.enrol()
        for _ in 0..<3 { #expect(try await apple.assert(&handset).isAccepted) }
        let outcomes = try await replay(apple, profile, claimsOnly: claimsOnly)
        #expect(outcomes.count == 4 && changes(outcomes).allSatisfy { $0 == .same }, "\(outcomes)")
        for outcome in android + outcomes {
            guard case .judged(let difference, let byEvidence) = outcome else { continue }
            #expect(difference.before == difference.after && byEvidence != claimsOnly)
        }
    }

    @Test("A stricter rule flips those that it refuses live, for the same reason", arguments: [false, true])
    func stricter(claimsOnly: Bool) async throws {
        let list = board()
        let harness = try await android(.testing, list)
        try await traffic(harness)
        try await traffic(harness, .testing(.strongBox))
        var strict = AndroidPolicy.testing
        strict.minimumLevel = .strongBox
        let live = try await traffic(try await android(strict, list))
        let outcomes = try await replay(
            harness, try .android(strict, board: list), changed: ["android.security_level"], claimsOnly: claimsOnly)
        #expect(changes(outcomes) == [.newlyRejected, .newlyRejected, .same, .same], "\(outcomes)")
        guard case .judged(let difference, _)? = outcomes.first, case .rejected(let reason, let check) = difference.after
        else { throw ContractViolation("the first is not rejected") }
        #expect(reason.code.rawValue == live && check == "security_level" && !reason.detail.isEmpty)
        strict = .testing
        strict.patchLevels.os = .level(try #require(PatchLevel(209_901)))
        let patched = try await replay(
            harness, try .android(strict, board: list), changed: ["android.patch_levels.os"], claimsOnly: claimsOnly)
        #expect(changes(patched).allSatisfy { $0 == .newlyRejected }, "\(patched)")
    }

    @Test("Another identity flips every verdict of a platform", arguments: [false, true])
    func identity(claimsOnly: Bool) async throws {
        let harness = try await ServiceHarness([try AppProfile.testing(.camera).followed(recording: .withEvidence)])
        var (handset, _) = try await harness.enrol()
        #expect(try await harness.assert(&handset).isAccepted)
        let other = try AppProfile.testing(
            .camera, identities: [AppAttestIdentity(appID: "TEAMID1234.com.example.other", platform: .iOS)])
        let outcomes = try await replay(harness, other, changed: ["app_attest.identities"], claimsOnly: claimsOnly)
        #expect(changes(outcomes) == [.newlyRejected, .newlyRejected], "\(outcomes)")
    }

    @Test("A candidate that rejects a flag flips the verdicts about devices on which it stood then", arguments: [false, true])
    func flags(claimsOnly: Bool) async throws {
        let harness = try await ServiceHarness([try AppProfile.testing(.camera).followed(recording: .withEvidence)])
        var (handset, device) = try await harness.enrol()
        #expect(try await harness.assert(&handset).isAccepted)
        let flag = DeviceFlag(
            name: "farm", setter: .plugin("anomaly"), detail: "seen twice", since: ServiceHarness.opening,
            until: ServiceHarness.opening.adding(milliseconds: 86_400_000))
        let context = ChangeContext(.plugin("anomaly"), at: ServiceHarness.opening)
        #expect(try await harness.ledger.change(.set(flag), of: device, app: .camera, context) == .set)
        #expect(try await harness.assert(&handset).isAccepted)
        for (name, expected) in [("farm", VerdictChange.newlyRejected), ("other", .same)] {
            let candidate = try AppProfile.testing(.camera, deviceFlags: DeviceFlagRule(rejected: [name]))
            let outcomes = try await replay(
                harness, candidate, changed: ["device.flags.reject"], claimsOnly: claimsOnly)
            #expect(changes(outcomes) == [.same, .same, expected], "\(outcomes)")
        }
    }

    @Test("A rejection that the candidate lifts is newly accepted; by claims only where a registered device was refused")
    func lifted() async throws {
        let list = board()
        let lax = try await android(.testing, list)
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        #expect(try await lax.verify(try key.registration(try await lax.challenge(.register))).isAccepted)
        var strict = AndroidPolicy.testing
        strict.minimumLevel = .strongBox
        let harness = try await ServiceHarness(
            [try AppProfile.android(strict, board: list).followed(recording: .withEvidence)], ledger: lax.ledger)
        #expect(try await !harness.verify(try key.upload(try await harness.challenge(.assert))).isAccepted)
        var next = VirtualAndroid.testing()
        let second = try next.makeKey()
        #expect(try await !harness.verify(try second.registration(try await harness.challenge(.register))).isAccepted)
        let candidate = try AppProfile.android(board: list)
        let changed = ["android.security_level"]
        #expect(changes(try await replay(harness, candidate, changed: changed)) == [.newlyAccepted, .newlyAccepted])
        let byClaims = try await replay(harness, candidate, changed: changed, claimsOnly: true)
        #expect(changes(byClaims) == [.newlyAccepted, nil], "\(byClaims)")
        #expect(obstacles(byClaims) == [.needsEvidence(key: "android.security_level")])
    }

    @Test("A setting whose effect claims do not show is never taken for unchanged")
    func hidden() async throws {
        let harness = try await ServiceHarness([try AppProfile.testing(.camera).followed(recording: .all)])
        var (handset, _) = try await harness.enrol()
        #expect(try await harness.assert(&handset).isAccepted)
        var policy = AppAttestPolicy()
        policy.requireExtensions = true
        let candidate = try AppProfile.testing(.camera, policy: policy)
        let outcomes = try await replay(
            harness, candidate, changed: ["app_attest.require_extensions"], shown: false)
        let needsEvidence = RecordingTrial.Obstacle.needsEvidence(key: "app_attest.require_extensions")
        #expect(obstacles(outcomes) == [needsEvidence, needsEvidence])
    }

    @Test("What no policy decides is not judged again: a used challenge, and evidence that was refused at once")
    func withoutPolicy() async throws {
        let profile = try AppProfile.testing(.camera)
        let harness = try await ServiceHarness([profile.followed(recording: .withEvidence)])
        var (handset, _) = try await harness.enrol()
        let request = try handset.assertion(try await harness.challenge(.assert))
        #expect(try await harness.verify(request).isAccepted)
        // The counter was used, which the appraisal says; with a challenge that was not issued here nothing is appraised.
        var foreign = request
        foreign.challenge[Challenge.length - 1] ^= 1
        #expect(try await harness.verify(foreign).rejection == .challengeInvalid)
        let outcomes = try await replay(harness, profile)
        #expect(changes(outcomes).prefix(2).allSatisfy { $0 == .same })
        guard case .notJudged(.refusedEarly(let check))? = outcomes.last else {
            throw ContractViolation("\(outcomes)")
        }
        #expect(check == "challenge")
    }

    @Test("A list that the candidate looks at and that was not consulted leaves the verdict open")
    func lists() async throws {
        let harness = try await ServiceHarness([try AppProfile.testing(.camera).followed(recording: .all)])
        _ = try await harness.enrol()
        let board = RevocationBoard()
        let phones = try await android(.testing, board)
        try await traffic(phones)
        let outcomes = try await replay(phones, try .android(board: self.board()), changed: ["android.revocation"])
        #expect(obstacles(outcomes).count == 2, "\(outcomes)")
    }
}
