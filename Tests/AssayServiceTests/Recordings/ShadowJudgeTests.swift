import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCore
import AssayMetrics
import AssayRPC
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Shadow policies", .timeLimit(.minutes(30)))
struct ShadowJudgeTests {
    private static let other = [UInt8](repeating: 0x5A, count: 32)

    /// The app with a shadow policy that takes development builds alone.
    private func profile(recording: RecordingRule? = nil) throws -> AppProfile {
        let shadow = try AppProfile.testing(
            .camera,
            identities: [AppAttestIdentity(appID: Handset.appID, platform: .iOS, environments: [.development])],
            policyDigest: Self.other)
        return try AppProfile.testing(.camera).followed(recording: recording, shadow: shadow)
    }

    private func settle(_ harness: ServiceHarness) { while harness.shadow.step() > 0 {} }

    private func listed(
        _ harness: ServiceHarness, _ change: (inout Assay_V1_ListDifferencesRequest) -> Void = { _ in }
    ) async throws -> [Assay_V1_ShadowReport] {
        var request = Assay_V1_ListDifferencesRequest()
        change(&request)
        return try await harness.call(API.listDifferences, request).reports
    }

    @Test("Differences are counted and listed, the newest first, with the reason and what was expected")
    func differences() async throws {
        let harness = try await ServiceHarness([try profile(), .testing(.notes)])
        var (handset, device) = try await harness.enrol()
        harness.clock.advance(milliseconds: 1000)
        #expect(try await harness.assert(&handset).isAccepted)
        #expect(try await harness.assert(&handset, changes: .genuine.signature { _ in [0x30, 0] }).rejection != nil)
        _ = try await harness.enrol(.notes)
        settle(harness)
        let report = try #require(try await listed(harness).first)
        #expect(try await listed(harness).count == 1, "the other app has no shadow policy")
        #expect(report.app == "camera" && Array(report.shadowDigest) == Self.other)
        #expect(report.changes.newlyRejected == 2 && report.changes.same == 1 && report.changes.notJudged == 0)
        let times = report.differences.map(\.atUnixMs)
        #expect(times == times.sorted(by: >))
        let first = try #require(report.differences.last)
        #expect(
            first.change == "newly_rejected" && first.before.decision == "accepted"
                && first.after.reason == "environment_mismatch")
        #expect(!first.after.detail.isEmpty && first.requestID.count == 16)
        #expect(report.differences[0].deviceID == Data(device.bytes))
        let later = try await listed(harness) { $0.sinceUnixMs = ServiceHarness.opening.unixMilliseconds + 500 }
        #expect(later.first?.differences.count == 1 && later.first?.changes == report.changes)
    }

    /// What callers see of a verdict, without what differs at each run.
    private func seen(_ verdict: Assay_V1_Verdict) -> Assay_V1_Verdict {
        var verdict = verdict
        (verdict.requestID, verdict.deviceID) = (Data(), Data())
        return verdict
    }

    @Test("With a shadow policy each verdict is as it is without: it never decides")
    func decidesNothing() async throws {
        let (plain, shadowed) = (
            try await ServiceHarness([try AppProfile.testing(.camera)]), try await ServiceHarness([try profile()])
        )
        var random = SeededNumbers(seed: 7)
        var handset = Handset()
        for round in 0..<60 {
            let choice = random.next() % 6
            let clean = Handset()
            var verdicts: [Assay_V1_Verdict] = []
            let before = handset
            for harness in [plain, shadowed] {
                handset = before
                let purpose: Purpose = choice == 0 || round == 0 ? .register : .assert
                let challenge = try await harness.challenge(purpose)
                let request: VerificationRequest =
                    switch choice {
                    case _ where round == 0: try handset.registration(challenge)
                    case 0: try clean.registration(challenge)
                    case 1: try handset.assertion(challenge, changes: .genuine.signature { _ in [0x30, 0] })
                    case 2: try handset.assertion(SecureRandom.bytes(Challenge.length))
                    case 3: try Handset.assertion(of: clean, challenge)
                    default: try handset.assertion(challenge)
                    }
                verdicts.append(try await harness.verify(request))
                if random.next() % 3 == 0 { settle(harness) }
            }
            #expect(verdicts[0].decision == verdicts[1].decision && verdicts[0].reason == verdicts[1].reason)
            #expect(verdicts[0].findings == verdicts[1].findings || verdicts[0].decision == .rejected, "round \(round)")
            #expect(
                verdicts[0].policyDigest == verdicts[1].policyDigest && verdicts[0].claims.count == verdicts[1].claims.count)
        }
        settle(shadowed)
        let report = try #require(shadowed.shadow.reports.first)
        #expect(report.changes[.newlyRejected, default: 0] > 0 && report.changes[.newlyAccepted] == nil)
        #expect(plain.shadow.reports.isEmpty)
    }

    @Test("The same policy as a shadow differs in nothing, on both platforms")
    func same() async throws {
        let board = RevocationBoard()
        board.revoke([])
        let android = try AppProfile.android(board: board)
        let harness = try await ServiceHarness([android.followed(shadow: android)])
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        #expect(try await harness.verify(try key.registration(try await harness.challenge(.register))).isAccepted)
        #expect(try await harness.verify(try key.upload(try await harness.challenge(.assert))).isAccepted)
        let apple = try AppProfile.testing(.camera)
        let handsets = try await ServiceHarness([apple.followed(shadow: apple)])
        var (handset, _) = try await handsets.enrol()
        #expect(try await handsets.assert(&handset).isAccepted)
        for harness in [harness, handsets] {
            settle(harness)
            #expect(harness.shadow.reports.first?.changes == [.same: 2], "\(harness.shadow.reports)")
        }
    }

    @Test("What a queue cannot take is dropped and counted, and the answers come all the same")
    func full() async throws {
        let harness = try await ServiceHarness([try profile()])
        var (handset, _) = try await harness.enrol()
        for _ in 0..<(ShadowJudge.queueLimit + 20) { #expect(try await harness.assert(&handset).isAccepted) }
        settle(harness)
        let report = try #require(harness.shadow.reports.first)
        #expect(report.dropped == 21 && report.changes[.newlyRejected] == UInt64(ShadowJudge.queueLimit))
        #expect(report.differences.count <= ShadowJudge.remembered * 5 / 4)
    }

    @Test("Another shadow policy is compared from its start; the metrics go on, and begin at zero")
    func following() async throws {
        let harness = try await ServiceHarness([try profile()])
        func metrics() -> String {
            String(decoding: MetricsText.prometheus.write(MetricsRegistry([harness.shadow]).exposition()), as: UTF8.self)
        }
        #expect(metrics().contains("assay_shadow_verdicts_total{app=\"camera\",change=\"newly_rejected\"} 0"), "\(metrics())")
        _ = try await harness.enrol()
        settle(harness)
        harness.shadow.follow(AppDirectory([try profile()]))
        #expect(harness.shadow.reports.first?.changes == [.newlyRejected: 1], "the same policies")
        harness.shadow.follow(AppDirectory([try AppProfile.testing(.camera).followed(shadow: .testing(.camera))]))
        #expect(harness.shadow.reports.first?.changes == [:] && harness.shadow.reports.first?.differences == [])
        #expect(metrics().contains("assay_shadow_verdicts_total{app=\"camera\",change=\"newly_rejected\"} 1"))
        #expect(metrics().contains("assay_shadow_rejections_total{app=\"camera\",reason=\"environment_mismatch\"} 1"))
        harness.shadow.follow(AppDirectory([try AppProfile.testing(.camera)]))
        #expect(harness.shadow.reports.isEmpty)
    }

    @Test("A repetition of an answer is not judged twice, and what was refused at once is not judged")
    func notJudged() async throws {
        let harness = try await ServiceHarness([try profile()])
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.idempotencyKey = [1, 2, 3]
        for _ in 0..<3 { #expect(try await harness.verify(request).isAccepted) }
        var unknown = try handset.assertion(try await harness.challenge(.assert))
        unknown.challenge = SecureRandom.bytes(Challenge.length)
        #expect(try await harness.verify(unknown).rejection != nil)
        settle(harness)
        #expect(harness.shadow.reports.first?.changes == [.newlyRejected: 2, .notJudged: 1])
    }
}

extension Handset {
    /// An assertion of a key that is not registered.
    fileprivate static func assertion(of other: Handset, _ challenge: [UInt8]) throws -> VerificationRequest {
        var other = other
        return try other.assertion(challenge)
    }
}
