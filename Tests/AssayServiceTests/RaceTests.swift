import AppAttest
import AssayAPI
import AssayCore
import AssayService
import AssaySimulator
import AssayTesting
import Testing

@Suite("Race")
struct RaceTests {
    @Test("of 64 for one challenge has exactly one winner, over 16 daemons on one ledger")
    func challenge() async throws {
        let ledger = WatchedLedger()
        let clock = FixedClock(ServiceHarness.opening)
        var daemons: [ServiceHarness] = []
        for _ in 0..<16 { daemons.append(try await ServiceHarness(ledger: ledger, clock: clock)) }
        let first = try #require(daemons.first)
        let challenge = try await first.challenge(.register)
        // Four racers a daemon: fewer than the attempts that one daemon lets a challenge have.
        let requests = try (0..<64).map { _ in try Handset().registration(challenge) }
        let verdicts = try await race(64) { [daemons] in try await daemons[$0 % 16].verify(requests[$0]) }
        #expect(verdicts.count { $0.isAccepted } == 1)
        #expect(verdicts.count { $0.rejection == .challengeReused } == 63)
        #expect(try await ledger.status().devices == 1 && ledger.memory.auditLog.count == 1)
    }

    @Test("of 64 for one challenge at one daemon has exactly one winner")
    func attempts() async throws {
        let harness = try await ServiceHarness()
        let challenge = try await harness.challenge(.register)
        let requests = try (0..<64).map { _ in try Handset().registration(challenge) }
        let verdicts = try await race(64) { try await harness.verify(requests[$0]) }
        #expect(verdicts.count { $0.isAccepted } == 1)
        #expect(
            verdicts.allSatisfy { $0.isAccepted || [.challengeReused, .challengeAttemptsExceeded].contains($0.rejection) })
        #expect(try await harness.ledger.status().devices == 1)
    }

    @Test("of 64 for one counter has exactly one winner")
    func counter() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        var requests: [VerificationRequest] = []
        for _ in 0..<64 {
            requests.append(try handset.assertion(try await harness.challenge(.assert), changes: .genuine.counter(7)))
        }
        let verdicts = try await race(64) { [requests] in try await harness.verify(requests[$0]) }
        #expect(verdicts.count { $0.isAccepted } == 1)
        #expect(verdicts.count { $0.rejection == .counterNotIncreasing } == 63)
        #expect(try await harness.ledger.device(device)?.counter == 7)
    }

    @Test("of 64 uploads of one phone accepts each once, in whatever order they arrive")
    func parallelUploads() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        var requests: [VerificationRequest] = []
        for _ in 0..<64 { requests.append(try handset.assertion(try await harness.challenge(.assert))) }
        let verdicts = try await race(64) { [requests] in try await harness.verify(requests.reversed()[$0]) }
        #expect(verdicts.count(where: \.isAccepted) == 64)
        #expect(try await harness.ledger.device(device)?.counter == 64)
        let again = try await race(64) { [requests] in try await harness.verify(requests[$0]) }
        #expect(again.count { $0.rejection == .counterNotIncreasing } == 64, "each counts once")
    }

    @Test("of 64 with rising counters accepts an increasing sequence of them, where the app says strict")
    func risingCounters() async throws {
        let harness = try await ServiceHarness([.testing(.camera, policy: AppAttestPolicy(counterRule: .strictlyIncreasing))])
        var (handset, device) = try await harness.enrol()
        var requests: [VerificationRequest] = []
        for _ in 0..<64 { requests.append(try handset.assertion(try await harness.challenge(.assert))) }
        let verdicts = try await race(64) { [requests] in try await harness.verify(requests[$0]) }
        let accepted = verdicts.filter(\.isAccepted)
        #expect(!accepted.isEmpty && harness.ledger.memory.auditLog.count == 1 + accepted.count)
        #expect(verdicts.allSatisfy { $0.isAccepted || $0.rejection == .counterNotIncreasing })
        let highest = accepted.compactMap { Claims($0.claims).integer("sign_count") }.max()
        #expect(try await harness.ledger.device(device)?.counter == highest.flatMap { UInt32(exactly: $0) })
    }

    @Test("of one group for one challenge has exactly one winner")
    func group() async throws {
        let harness = try await ServiceHarness()
        let challenge = try await harness.challenge(.register)
        let group = try (0..<4).map { _ in try harness.admitted(try Handset().registration(challenge)) }
        let answers = await harness.pipeline.judge(group)
        #expect(answers.map(\.isAccepted) == [true, false, false, false])
        #expect(answers.dropFirst().allSatisfy { $0.rejection == .challengeReused })
        #expect(harness.ledger.asked(.commit) == 1, "a group joins one commit")
    }

    @Test("of one key for two challenges registers it once")
    func registration() async throws {
        let harness = try await ServiceHarness()
        let handset = Handset()
        var requests: [VerificationRequest] = []
        for _ in 0..<16 { requests.append(try handset.registration(try await harness.challenge(.register))) }
        let verdicts = try await race(16) { [requests] in try await harness.verify(requests[$0]) }
        #expect(verdicts.count { $0.isAccepted } == 1)
        #expect(verdicts.count { $0.rejection == .keyAlreadyRegistered } == 15)
    }
}
