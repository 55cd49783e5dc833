import AppAttest
import AssayAPI
import AssayCore
import AssayRPC
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Monitor mode")
struct MonitorModeTests {
    private static let report = EnforcementRule(share: 0)
    private static let everything = EnforcementRule(share: 0, reportsEverything: true)
    /// Phones that report no validation category are rejected.
    private static let strict = AppAttestPolicy(requireExtensions: true)
    private static let silent = "17.0"

    private func harness(
        _ rule: EnforcementRule = Self.report, policy: AppAttestPolicy = Self.strict, ledger: WatchedLedger = WatchedLedger(),
        requestLog: RequestLog = .closed
    ) async throws -> ServiceHarness {
        try await ServiceHarness(
            [.testing(.camera, policy: policy, enforcement: rule), .testing(.notes, policy: policy)], ledger: ledger,
            requestLog: requestLog)
    }

    private func refusable(_ harness: ServiceHarness, app: AppID = .camera) async throws -> VerificationRequest {
        try Handset(app: app, osVersion: Self.silent).registration(try await harness.challenge(.register, app: app))
    }

    // MARK: What is reported

    @Test(
        "A rejection is answered ACCEPTED with its reason, registers nothing, and stays a rejection in counts, records, events and audit"
    )
    func reported() async throws {
        let harness = try await harness()
        let request = try await refusable(harness)
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted && verdict.hasWouldReject && verdict.assurance == .none && verdict.reason.isEmpty)
        #expect(verdict.wouldReject.reason == "category_missing" && verdict.wouldReject.check == "validation_category")
        #expect(verdict.wouldReject.retry == ReasonCode.categoryMissing.retry.message && !verdict.wouldReject.detail.isEmpty)
        #expect(verdict.deviceID.isEmpty)
        #expect(try await harness.ledger.status().devices == 0)
        #expect(harness.counters.counts.accepted == 0 && harness.counters.counts.rejected == [.categoryMissing: 1])
        #expect(harness.counters.counts.wouldReject == [.categoryMissing: 1])
        #expect(harness.counters.wouldReject(of: .camera) == 1 && harness.counters.wouldReject(of: .notes) == 0)

        _ = harness.recorder.settled()
        let record = try #require(harness.records.all.first)
        #expect(record.decision == .rejected && record.wouldReject && record.reason?.code == "category_missing")
        #expect(record.traits.platform == .iOS && record.traits.osVersion == Self.silent)
        let audited = harness.ledger.memory.auditLog
        #expect(audited.count == 1 && audited[0].record.wouldReject == "category_missing")
        #expect(audited[0].record.assurance == .none && audited[0].record.requestID == Array(verdict.requestID))
    }

    @Test("The other app, which enforces, rejects the same; a good phone is accepted as ever")
    func others() async throws {
        let harness = try await harness()
        let rejected = try await harness.verify(try await refusable(harness, app: .notes))
        #expect(rejected.rejection == .categoryMissing && !rejected.hasWouldReject)
        let (_, device) = try await harness.enrol()
        #expect(try await harness.ledger.device(device) != nil)
        let accepted = try await harness.verify(try Handset().registration(try await harness.challenge(.register)))
        #expect(accepted.isAccepted && !accepted.hasWouldReject && accepted.assurance != .none)
        #expect(harness.counters.counts.wouldReject.isEmpty)
    }

    @Test("Status says which share is enforced and how much was not, and asks for attention")
    func status() async throws {
        let harness = try await harness()
        _ = try await harness.verify(try await refusable(harness))
        let status: Assay_V1_StatusResponse = try await harness.call(API.status, Assay_V1_StatusRequest())
        let apps = Dictionary(uniqueKeysWithValues: status.apps.map { ($0.app, $0.enforcement) })
        #expect(apps["camera"]?.share == 0 && apps["camera"]?.wouldReject == 1 && apps["notes"]?.share == 10_000)
        #expect(status.traffic.wouldReject == ["category_missing": 1])
        let attention = status.attention.filter { $0.code == AttentionCode.verdictsNotEnforced.rawValue }
        #expect(attention.map(\.app) == ["camera"] && attention.first?.message.contains("1 were answered ACCEPTED") == true)
    }

    @Test("Listed alone, and shown with its traits; the audit log has it where the records do not")
    func records() async throws {
        let harness = try await harness()
        let reported = try await harness.verify(try await refusable(harness))
        _ = try await harness.verify(try await refusable(harness, app: .notes))
        let listed: Assay_V1_ListVerdictsResponse = try await harness.call(API.listVerdicts, .with { $0.wouldReject = true })
        #expect(listed.records.map(\.requestID) == [reported.requestID] && listed.records.allSatisfy(\.wouldReject))
        #expect(listed.records.first?.traits.osVersion == Self.silent && listed.records.first?.traits.platform == "ios")
        let all: Assay_V1_ListVerdictsResponse = try await harness.call(API.listVerdicts, .init())
        #expect(all.records.map(\.wouldReject) == [false, true])
        var limits = VerdictRecordLimits()
        limits.rows = 0
        harness.records.keep(limits, now: harness.clock.now())
        let shown: Assay_V1_VerdictRecord = try await harness.call(API.getVerdict, .with { $0.requestID = reported.requestID })
        #expect(
            shown.decision == .rejected && shown.wouldReject && shown.reason == "category_missing" && shown.auditNumber == 1)
    }

    @Test("Every failure is judged, whatever the request asks for")
    func everyFailure() async throws {
        let harness = try await harness()
        var request = try await refusable(harness)
        request.expectedDevice = nil
        let verdict = try await harness.verify(request)
        #expect(verdict.findings.contains { $0.code == "not_checked" })
        #expect(verdict.findings.contains { $0.outcome == .fail && $0.code == "category_missing" })
    }

    // MARK: What stays refused

    @Test("A challenge is answered once: the same evidence again is a replay, and refused")
    func replay() async throws {
        let harness = try await harness()
        let request = try await refusable(harness)
        #expect(try await harness.verify(request).hasWouldReject)
        let again = try await harness.verify(request)
        #expect(again.rejection == .challengeReused && !again.hasWouldReject)
        #expect(harness.counters.counts.wouldReject == [.categoryMissing: 1])
    }

    @Test(
        "Challenges that are unknown, expired or of another purpose, counters that were used, and blocked devices stay refused")
    func replays() async throws {
        let harness = try await harness(policy: AppAttestPolicy())
        var unknown = try await refusable(harness)
        unknown.challenge[40] ^= 1
        #expect(try await harness.verify(unknown).rejection == .challengeInvalid)
        let late = try await refusable(harness)
        harness.clock.advance(milliseconds: 3_600_001)
        #expect(try await harness.verify(late).rejection == .challengeExpired)
        let other = try Handset().registration(try await harness.challenge(.assert))
        #expect(try await harness.verify(other).rejection == .challengeWrongPurpose)

        var (handset, device) = try await harness.enrol()
        #expect(try await harness.assert(&handset).isAccepted)
        let replayed = try await harness.assert(&handset, changes: .genuine.counter(1))
        #expect(replayed.rejection == .counterNotIncreasing)
        let blocked: Assay_V1_BlockResponse = try await harness.call(
            API.block,
            .with {
                $0.app = AppID.camera.text
                $0.target.deviceID = Data(device.bytes)
                $0.reason = "stolen"
            })
        _ = blocked
        #expect(try await harness.assert(&handset).rejection == .deviceBlocked)
        #expect(harness.counters.counts.wouldReject.isEmpty)
    }

    @Test("A replay stays refused where another failure stands before it and gives the reason")
    func replayBehind() async throws {
        let lax = try await harness(policy: AppAttestPolicy())
        var handset = Handset(osVersion: Self.silent)
        #expect(try await lax.verify(try handset.registration(try await lax.challenge(.register))).isAccepted)
        #expect(try await lax.assert(&handset).isAccepted)
        let harness = try await harness(ledger: lax.ledger)
        #expect(try await harness.assert(&handset).wouldReject.reason == "category_missing")
        let replayed = try await harness.assert(&handset, changes: .genuine.counter(1))
        #expect(!replayed.isAccepted && replayed.findings.contains { $0.code == "counter_not_increasing" })
        // Nothing tells the key's signature over another challenge from a replay.
        var nonce = try Handset(osVersion: Self.silent).registration(
            try await harness.challenge(.register), changes: .genuine.nonce { $0[0] ^= 1 })
        nonce.replaces = .random()
        #expect(try await !harness.verify(nonce).isAccepted)
    }

    @Test("With report: everything replays and blocked devices are answered ACCEPTED too, and spend nothing more")
    func reportsEverything() async throws {
        let harness = try await harness(Self.everything, policy: AppAttestPolicy())
        var (handset, device) = try await harness.enrol()
        let request = try handset.assertion(try await harness.challenge(.assert))
        #expect(try await !harness.verify(request).hasWouldReject)
        let again = try await harness.verify(request)
        #expect(again.isAccepted && again.wouldReject.reason == "counter_not_increasing")
        let _: Assay_V1_BlockResponse = try await harness.call(
            API.block,
            .with {
                $0.app = AppID.camera.text
                $0.target.deviceID = Data(device.bytes)
                $0.reason = "stolen"
            })
        let blocked = try await harness.assert(&handset)
        #expect(blocked.isAccepted && blocked.wouldReject.reason == "device_blocked")
        #expect(try await harness.ledger.device(device)?.counter == 1)
        var unreadable = request
        unreadable.challenge.removeLast()
        #expect(try await harness.verify(unreadable).hasWouldReject)
    }

    @Test("What cannot be judged stays an error, and an answer that cannot be made durable is none")
    func unavailable() async throws {
        let harness = try await harness()
        let request = try await refusable(harness)
        harness.ledger.fail(.commit, with: .unavailable("disk full"))
        let error = try #require(try await harness.failure(request))
        #expect(error.code == .unavailable && harness.counters.counts.wouldReject.isEmpty)
        harness.ledger.fail(.commit, with: nil)
        #expect(try await harness.verify(request).hasWouldReject)
    }

    @Test("No certificate is issued, and a request for one is rejected as always")
    func certificates() async throws {
        let harness = try await harness(Self.everything)
        let key = P256.Signing.PrivateKey()
        let csr = StandInAuthority.csr(Array(key.publicKey.derRepresentation))
        let challenge = try await harness.challenge(.provision)
        let hash = ClientData.payloadHash(csr)
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payloadHash: hash))
        let evidence = try #require(try Handset(osVersion: Self.silent).attestation(over: data.hash).message)
        let response: Assay_V1_IssueCertificateResponse = try await harness.call(
            API.issueCertificate,
            .with {
                $0.app = AppID.camera.text
                $0.challenge = Data(challenge)
                $0.evidence = [evidence]
                $0.payloadSha256 = Data(hash)
                $0.csr = Data(csr)
            })
        #expect(response.verdict.rejection == .categoryMissing && !response.hasCertificate)
        #expect(harness.authority.orders.isEmpty && harness.ledger.memory.auditLog.isEmpty)
    }

    // MARK: Repetition

    @Test("An equal request under the same idempotency key has the same answer, marked repeated")
    func repetition() async throws {
        let harness = try await harness()
        var request = try await refusable(harness)
        request.idempotencyKey = Array("upload 1".utf8)
        var first = try await harness.verify(request)
        #expect(first.hasWouldReject && !first.repeated)
        let again = try await harness.verify(request)
        first.repeated = true
        #expect(again == first)
        // The app enforces now, and the answer that was given holds.
        let enforcing = try await self.harness(EnforcementRule(), ledger: harness.ledger)
        #expect(try await enforcing.verify(request) == first)
        #expect(harness.ledger.memory.auditLog.count == 1)
    }

    @Test("Equal requests that arrive together are answered alike, and once")
    func together() async throws {
        let harness = try await harness()
        var request = try await refusable(harness)
        request.idempotencyKey = Array("upload 1".utf8)
        let admitted = try (0..<4).map { _ in try harness.admitted(request) }
        let answers = await harness.pipeline.judge(admitted)
        var kinds: [String] = []
        for answer in answers {
            switch answer {
            case .reported: kinds.append("reported")
            case .repeated(let message):
                #expect(try Assay_V1_Verdict(serializedBytes: message).hasWouldReject)
                kinds.append("repeated")
            default: kinds.append("\(answer)")
            }
        }
        #expect(kinds == ["reported", "repeated", "repeated", "repeated"])
        #expect(harness.ledger.memory.auditLog.count == 1)
    }

    // MARK: The share

    @Test("Of two halves of the subjects one is rejected and the other answered ACCEPTED, the same each time")
    func share() async throws {
        let harness = try await harness(EnforcementRule(share: 5000))
        var (enforced, reported) = (0, 0)
        for number in 0..<40 {
            var answers: Set<Bool> = []
            for _ in 0..<2 {
                var request = try await refusable(harness)
                request.subject = Array("user \(number)".utf8)
                answers.insert(try await harness.verify(request).hasWouldReject)
            }
            #expect(answers.count == 1)
            if answers.contains(true) { reported += 1 } else { enforced += 1 }
        }
        #expect((6...34).contains(enforced) && reported == 40 - enforced)
    }

    // MARK: Results

    @Test("No result is signed of such a verdict, also when it is repeated: each says why")
    func results() async throws {
        let issuers = ResultIssuers()
        let harness = try await ServiceHarness(
            [.testing(.camera, policy: Self.strict, results: ResultIssuers.composer(), enforcement: Self.report)],
            resultKeys: try issuers.keys())
        var request = try await refusable(harness)
        request.results = [ResultRequest(shape: .earJWT, audience: ResultIssuers.audience, nonce: [])]
        request.idempotencyKey = Array("upload 1".utf8)
        for _ in 0..<2 {
            let verdict = try await harness.verify(request)
            #expect(verdict.hasWouldReject && verdict.results.map(\.problem.code) == ["result_of_unenforced_verdict"])
        }
        #expect(issuers.signer.signatures + issuers.simulatedSigner.signatures == 0)
    }
}
