import AssayAPI
import AssayCore
import AssayRPC
import AssaySimulator
import AssayTesting
import Foundation
import Synchronization
import Testing

@testable import AssayService

@Suite("Recorder of verdicts", .timeLimit(.minutes(30)))
struct VerdictRecorderTests {
    /// The records, with those of floods.
    private func records(_ harness: ServiceHarness) -> [VerdictRecord] {
        _ = harness.recorder.settled()
        return harness.records.all
    }

    @Test("A rejection is recorded with its request, its checks in order, and the values that were compared")
    func rejection() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol(subject: Array("someone".utf8))
        let challenge = try await harness.challenge(.assert)
        var request = try handset.assertion(challenge, payload: Array("signed by the app".utf8))
        let otherPayload = ClientData.payloadHash(Array("hashed by the service".utf8))
        request.binding = .clientData(payloadHash: otherPayload)
        request.subject = Array("someone".utf8)
        let verdict = try await harness.verify(request)
        try #require(!verdict.isAccepted)

        let record = try #require(records(harness).first)
        #expect(records(harness).count == 1, "acceptances are in the audit log")
        #expect(record.request.id == Array(verdict.requestID) && record.request.time == harness.clock.now())
        #expect(record.request.app == .camera && record.request.caller == Caller.demo.name)
        #expect(record.request.purpose == .assert && record.request.formats == [.appAttestAssertion])
        #expect(record.request.binding == .clientData && record.request.payloadDigest == otherPayload)
        #expect(record.request.subject.count == 32 && record.request.evidenceDigest == Array(verdict.evidenceDigest))
        #expect(record.decision == .rejected && record.device == device && record.simulated)
        let reason = try #require(record.reason)
        #expect(reason.code == "bad_signature" && reason.check == "signature" && reason.sentence == verdict.detail)
        #expect(reason.retry == ReasonCode.badSignature.retry)
        #expect(record.findings.map(\.check) == verdict.findings.map(\.check))
        let expected = try #require(ClientData(purpose: .assert, challenge: challenge, payloadHash: otherPayload))
        #expect(reason.sentence.contains(Hex.short(Binding(expected).clientDataHash)), "\(reason.sentence)")
        #expect(record.policyDigest == Array(verdict.policyDigest) && record.standsFor == 1 && !record.isTruncated)
    }

    @Test("A call that cannot be judged is recorded with the error's reason, its check and its cause")
    func unjudged() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let request = try handset.assertion(try await harness.challenge(.assert))
        harness.ledger.fail(with: .unavailable("disk full"))
        let error = try #require(try await harness.failure(request))
        let record = try #require(records(harness).first)
        #expect(record.decision == .unjudged && record.reason?.code == error.reason && record.reason?.check == "ledger")
        let sentence = try #require(record.reason?.sentence)
        #expect(error.message == "\(sentence) (request \(Hex.encode(record.request.id)))" && record.reason?.retry == .later)
        #expect(record.findings.map(\.outcome) == [.unavailable, .note])
        let last = try #require(record.findings.last)
        #expect(last.detail.contains("disk full"))
    }

    @Test(
        "What is recorded follows the rule: nothing, rejections, or acceptances too",
        arguments: [.none, .rejected, .all] as [VerdictRecordRule.Recorded])
    func rule(_ recorded: VerdictRecordRule.Recorded) async throws {
        var rule = VerdictRecordRule()
        rule.recorded = recorded
        let harness = try await ServiceHarness(recording: rule)
        _ = try await harness.enrol()
        _ = try await harness.verify(VerdictsServiceTests.rejected(.camera))
        let decisions = records(harness).map(\.decision)
        switch recorded {
        case .none: #expect(decisions.isEmpty)
        case .rejected: #expect(decisions == [.rejected])
        case .all: #expect(decisions == [.accepted, .rejected])
        }
    }

    @Test("A repeated verdict is not recorded, and the loser of two equal requests has the record of its own id")
    func repetition() async throws {
        var rule = VerdictRecordRule()
        rule.recorded = .all
        let harness = try await ServiceHarness(recording: rule)
        let handset = Handset()
        var request = try handset.registration(try await harness.challenge(.register))
        request.idempotencyKey = [1]
        let first = try await harness.verify(request)
        let second = try await harness.verify(request)
        #expect(first.isAccepted && second.repeated)
        let requestIDs = records(harness).map(\.request.id)
        #expect(requestIDs == [Array(first.requestID)])
    }

    @Test("A concurrent flood of rejections is sampled, and the sum of what the records stand for is exact", arguments: [1, 8])
    func flood(_ callers: Int) async throws {
        var rule = VerdictRecordRule()
        (rule.fullPerMinute, rule.sampledBy) = (20, 50)
        let harness = try await ServiceHarness(recording: rule)
        let request = VerdictsServiceTests.rejected(.camera)
        await withTaskGroup { group in
            for _ in 0..<callers {
                group.addTask { for _ in 0..<(2000 / callers) { _ = try? await harness.verify(request) } }
            }
        }
        let records = records(harness)
        let stoodFor = records.map(\.standsFor).reduce(0, +)
        #expect(stoodFor == 2000)
        #expect(records.count <= 61, "20 in full, one of 50 of the others, and the rest")
        let requestIDs = Set(records.map(\.request.id))
        #expect(requestIDs.count == records.count)
        #expect(harness.counters.counts.rejected == [.challengeInvalid: 2000], "counters count each")
    }

    @Test(
        "A flood of rejections adds nothing to the work for acceptances: no record is made, and nothing is handed to the store")
    func acceptances() async throws {
        let store = CountingStore()
        let subjects = try await SubjectKey(
            ledger: MemoryLedger(), vault: ServiceHarness.vault, clock: FixedClock(ServiceHarness.opening))
        var rule = VerdictRecordRule()
        (rule.fullPerMinute, rule.sampledBy) = (10, 100)
        let recorder = VerdictRecorder(store, rule, subjects: subjects, clock: FixedClock(ServiceHarness.opening))
        let harness = try await ServiceHarness()
        let handset = Handset()
        let request = try harness.admitted(try handset.registration(try await harness.challenge(.register)))
        func answer(_ decision: Verdict.Decision) -> Answer {
            .verdict(
                Verdict(
                    decision: decision, findings: [], claims: Claims(), device: nil, binding: nil, evidenceDigest: [],
                    policyDigest: [], simulated: false, requestID: [], decidedAt: ServiceHarness.opening))
        }
        func follow(_ requests: [AuthorizedRequest], _ answers: [Answer]) {
            var group = AnsweredRequests(requests: requests, answers: answers, nanoseconds: 0) { _ in [:] }
            recorder.follow(&group)
        }
        let (good, bad) = (answer(.accepted(.hardware)), answer(.rejected(Rejection(.badChain, "no"), check: "c")))
        for _ in 0..<100 { follow([request, request], [good, good]) }
        #expect(store.calls == 0)
        for _ in 0..<1000 { follow([request, request, request], [good, bad, good]) }
        // 10 in full, and 9 runs of 100: the rest of the flood only counted.
        #expect(store.records == 19)
        let before = store.calls
        for _ in 0..<100 { follow([request, request], [good, good]) }
        #expect(store.calls == before)
        _ = recorder.settled()
        #expect(store.verdicts == 1000)
    }

    @Test("A reload gives away what was counted so far, and samples by the new rule")
    func reload() async throws {
        var rule = VerdictRecordRule()
        (rule.fullPerMinute, rule.sampledBy) = (1, 100)
        let harness = try await ServiceHarness(recording: rule)
        let request = VerdictsServiceTests.rejected(.camera)
        for _ in 0..<5 { _ = try await harness.verify(request) }
        rule.recorded = .none
        harness.recorder.use(rule)
        #expect(harness.records.all.map(\.standsFor) == [1, 4])
        for _ in 0..<5 { _ = try await harness.verify(request) }
        #expect(records(harness).count == 2)
    }

    @Test("A maintenance run gives away the runs of windows that have ended, and keeps the limits")
    func maintenance() async throws {
        var rule = VerdictRecordRule()
        (rule.fullPerMinute, rule.sampledBy, rule.limits.age) = (1, 100, 3_600_000)
        let harness = try await ServiceHarness(recording: rule)
        let request = VerdictsServiceTests.rejected(.camera)
        for _ in 0..<5 { _ = try await harness.verify(request) }
        harness.recorder.perform()
        #expect(harness.records.all.map(\.standsFor) == [1])
        harness.clock.advance(milliseconds: 60_000)
        harness.recorder.perform()
        #expect(harness.records.all.map(\.standsFor) == [1, 4])
        harness.clock.advance(milliseconds: 3_600_000)
        harness.recorder.perform()
        #expect(harness.records.all.isEmpty)
    }

    @Test("A refused provisioning of a fleet's device is recorded, without evidence")
    func fleet() async throws {
        let harness = try await FleetTests.harness()
        _ = try await FleetTests().provision(harness, "CAM-1")
        let record = try #require(records(harness).first)
        #expect(record.reason?.code == "not_enrolled" && record.request.purpose == .provision)
        #expect(record.request.formats == [.fleetDevice] && record.request.binding == nil)
        #expect(record.request.evidenceDigest.isEmpty)
    }

    @Test("Request ids differ in their first four bytes, so that a record is found by its first digits")
    func ids() {
        let names = RequestIDGenerator()
        let ids = (0..<1000).map { _ in names.next() }
        #expect(Set(ids).count == 1000 && ids.allSatisfy { $0.count == 16 })
        // 1000 of 2³² values: a pair is equal in one of 8600 runs.
        let starts = Set(ids.map { $0.prefix(4) })
        #expect(starts.count >= 998)
    }
}

/// Counts what it is given.
private final class CountingStore: VerdictRecordStore {
    private let state = Mutex((calls: 0, records: 0, verdicts: Int64(0)))
    var calls: Int { state.withLock { $0.calls } }
    var records: Int { state.withLock { $0.records } }
    var verdicts: Int64 { state.withLock { $0.verdicts } }

    func append(_ records: [VerdictRecord]) {
        state.withLock { state in
            if !records.isEmpty { state.calls += 1 }
            state.records += records.count
            state.verdicts += records.reduce(0) { $0 + $1.standsFor }
        }
    }
    func page(_ listing: VerdictRecordListing) async throws(VerdictRecordError) -> VerdictRecordPage {
        VerdictRecordPage(records: [], next: nil)
    }
    func records(_ prefix: [UInt8], in scope: VerdictRecordScope) async throws(VerdictRecordError) -> [VerdictRecord] { [] }
    func keep(_ limits: VerdictRecordLimits, now: Timestamp) {}
    var status: VerdictRecordStatus { VerdictRecordStatus() }
    func close() {}
}
