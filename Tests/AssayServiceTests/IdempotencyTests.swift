import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import SwiftProtobuf
import Synchronization
import Testing

@Suite("Idempotency")
struct IdempotencyTests {
    private let key = Array("upload 1".utf8)

    private func request(_ harness: ServiceHarness, _ handset: inout Handset) async throws -> VerificationRequest {
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.idempotencyKey = key
        return request
    }

    @Test("gives an equal request the stored verdict, marked repeated, and does nothing twice")
    func equal() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        let request = try await request(harness, &handset)
        var first = try await harness.verify(request)
        #expect(first.isAccepted && !first.repeated)
        for _ in 0..<10 {
            let again = try await harness.verify(request)
            #expect(again.repeated)
            first.repeated = true
            #expect(again == first)
        }
        #expect(try await harness.ledger.device(device)?.counter == 1)
        #expect(harness.ledger.memory.auditLog.count == 2 && harness.counters.counts.repeated == 10)
    }

    @Test("holds for a registration too")
    func registration() async throws {
        let harness = try await ServiceHarness()
        var request = try Handset().registration(try await harness.challenge(.register))
        request.idempotencyKey = key
        let first = try await harness.verify(request)
        let again = try await harness.verify(request)
        #expect(first.isAccepted && again.repeated && again.deviceID == first.deviceID)
    }

    @Test("refuses other fields under the same key")
    func otherFields() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let request = try await request(harness, &handset)
        #expect(try await harness.verify(request).isAccepted)
        let changes: [(inout VerificationRequest) -> Void] = [
            { $0.challenge[40] ^= 1 }, { $0.context = [1] }, { $0.subject = [1] }, { $0.expectedDevice = .random() },
            { $0.binding = .clientData(payloadHash: [UInt8](repeating: 1, count: 32)) },
            { $0.evidence = [Evidence(format: .appAttestAssertion, keyID: [1], body: [2])] }, { $0.purpose = .register },
        ]
        for change in changes {
            var other = request
            change(&other)
            let verdict = try await harness.verify(other)
            #expect(verdict.rejection == .idempotencyKeyReused && verdict.check == "idempotency" && !verdict.repeated)
        }
    }

    @Test("is per caller and per app")
    func scope() async throws {
        let callers = CallerDirectory(byUserID: [
            1: Caller(name: "one", roles: [.verify], apps: nil), 2: Caller(name: "two", roles: [.verify], apps: nil),
        ])
        let harness = try await ServiceHarness(callers: callers)
        let one = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
        let two = RPCPeer.unix(userID: 2, groupID: 1, processID: 1)
        var request = try Handset().registration(try await harness.challenge(.register, peer: one))
        request.idempotencyKey = key
        #expect(try await harness.verify(request, peer: one).isAccepted)
        #expect(try await harness.verify(request, peer: one).repeated)
        #expect(try await harness.verify(request, peer: two).rejection == .challengeReused)
        var other = try Handset(app: .notes).registration(try await harness.challenge(.register, app: .notes, peer: one))
        other.idempotencyKey = key
        let verdict = try await harness.verify(other, peer: one)
        #expect(verdict.isAccepted && !verdict.repeated)
    }

    @Test("ends ten minutes after the challenge's expiry")
    func expiry() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let request = try await request(harness, &handset)
        #expect(try await harness.verify(request).isAccepted)
        harness.clock.advance(milliseconds: 300_000 + 600_000 - 1)
        try await harness.ledger.purge(now: harness.clock.now())
        #expect(try await harness.verify(request).repeated)
        harness.clock.advance(milliseconds: 1)
        #expect(try await harness.verify(request).rejection == .challengeExpired)
        try await harness.ledger.purge(now: harness.clock.now())
        #expect(try await harness.verify(request).rejection == .challengeExpired)
    }

    @Test("is void once the device is blocked")
    func blocked() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        let request = try await request(harness, &handset)
        #expect(try await harness.verify(request).isAccepted)
        _ = try await harness.ledger.block(.device(device), reason: "lost", at: ServiceHarness.opening)
        #expect(try await harness.verify(request).rejection == .deviceBlocked)
        _ = try await harness.ledger.unblock(.device(device))
        #expect(try await harness.verify(request).repeated)
    }

    @Test("is void once the device is forgotten, whatever its key does then")
    func forgotten() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        let request = try await request(harness, &handset)
        #expect(try await harness.verify(request).isAccepted)
        #expect(try await harness.ledger.forget(device) == ForgottenDevice(keyStaysBlocked: false))
        #expect(try await harness.verify(request).rejection == .unknownDevice)
        let again = try handset.registration(try await harness.challenge(.register))
        #expect(try await harness.verify(again).isAccepted)
        #expect(try await harness.verify(request).rejection == .challengeReused, "the same key is another device")
    }

    @Test("does not keep rejections")
    func rejections() async throws {
        let harness = try await ServiceHarness()
        var handset = Handset()
        let assertion = try await request(harness, &handset)
        #expect(try await harness.verify(assertion).rejection == .unknownDevice)
        #expect(try await harness.verify(try handset.registration(try await harness.challenge(.register))).isAccepted)
        let verdict = try await harness.verify(assertion)
        #expect(verdict.isAccepted && !verdict.repeated)
    }

    @Test("gives two racing equals one verdict: the loser gets the winner's")
    func twoRacers() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let request = try await request(harness, &handset)
        // Both have passed every check before either is committed.
        let admitted = [try harness.admitted(request), try harness.admitted(request)]
        let answers = await harness.pipeline.judge(admitted)
        #expect(answers.count == 2 && answers.first?.isAccepted == true)
        guard case .repeated(let message)? = answers.last else {
            Issue.record("the second of two equals did not get the stored verdict")
            return
        }
        let stored = try Assay_V1_Verdict(serializedBytes: message)
        #expect(stored.repeated && Array(stored.requestID) == answers.first?.verdict?.requestID)
    }

    @Test("gives the loser the winner's verdict also where it has seen what the winner changed")
    func lateLoser() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let request = try await request(harness, &handset)
        // The winner comes and goes between the loser's look for a stored verdict and its look for the device, at another
        // daemon on the same ledger: within one, equal requests are judged together.
        let other = try await ServiceHarness(ledger: harness.ledger, clock: harness.clock)
        let winner = Slot()
        harness.ledger.before(.device) {
            let verdict = try? await other.verify(request)
            winner.put(verdict)
        }
        let loser = try await harness.verify(request)
        let won = winner.value
        #expect(won?.isAccepted == true && won?.repeated == false)
        #expect(loser.repeated && loser.requestID == won?.requestID)
    }

    @Test("gives 64 racing equals the winner's verdict, by one attempt and one commit")
    func racers() async throws {
        for _ in 0..<8 {
            let harness = try await ServiceHarness()
            var (handset, device) = try await harness.enrol()
            let request = try await request(harness, &handset)
            let before = harness.ledger.asked(.commit)
            let verdicts = try await race(64) { _ in try await harness.verify(request) }
            let accepted = verdicts.filter { $0.isAccepted && !$0.repeated }
            #expect(accepted.count == 1)
            #expect(verdicts.count { $0.repeated && $0.requestID == accepted.first?.requestID } == 63)
            #expect(harness.ledger.asked(.commit) == before + 1)
            #expect(try await harness.ledger.device(device)?.counter == 1 && harness.ledger.memory.auditLog.count == 2)
            #expect(try await harness.verify(request).repeated)
        }
    }

    @Test("gives equals in one group, and in groups that wait for each other, the winner's verdict")
    func groups() async throws {
        let harness = try await ServiceHarness()
        var first: [VerificationRequest] = []
        for number in 0..<2 {
            var request = try Handset().registration(try await harness.challenge(.register))
            request.idempotencyKey = [UInt8(number)]
            first.append(request)
        }
        let plain = try Handset().registration(try await harness.challenge(.register))
        let orders = [[first[0], first[1], plain, first[0]], [first[1], first[0], first[1], first[0]]]
        let groups = try orders.map { try $0.map { try harness.admitted($0) } }
        let answers = try await race(2) { number in (number, await harness.pipeline.judge(groups[number])) }
        let all = answers.sorted { $0.0 < $1.0 }.flatMap(\.1)
        #expect(all.count == 8 && all.count(where: \.isAccepted) == 3)
        #expect(all.count { if case .repeated = $0 { true } else { false } } == 5)
        #expect(answers.first { $0.0 == 0 }?.1[2].isAccepted == true, "answers come in the order of the requests")
        #expect(try await harness.ledger.status().devices == 3)
    }

    @Test("gives racing equals one rejection, by one attempt; each answer has its own request id")
    func rejectedRacers() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        let stranger = TestSigningKey(.p256)
        var forged = try handset.assertion(challenge, changes: .genuine.signer(stranger))
        forged.idempotencyKey = key
        // Held until all have come.
        let admitted = try (0..<64).map { _ in try harness.admitted(forged) }
        let answers = await harness.pipeline.judge(admitted)
        #expect(answers.count { $0.rejection == .badSignature } == 64)
        let requestIDs = Set(answers.compactMap { $0.verdict?.requestID })
        #expect(requestIDs.count == 64)
        // Four attempts are left to requests that differ, whatever their keys.
        for number in 0..<4 {
            var other = try handset.assertion(challenge, changes: .genuine.signer(stranger))
            other.idempotencyKey = [UInt8(number)]
            #expect(try await harness.verify(other).rejection == .badSignature)
        }
        #expect(try await harness.verify(try handset.assertion(challenge)).rejection == .challengeAttemptsExceeded)
    }

    @Test("does not share the attempts of a challenge among requests that differ", arguments: [false, true])
    func differing(underOneKey: Bool) async throws {
        let harness = try await ServiceHarness()
        let (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        let stranger = TestSigningKey(.p256)
        var requests: [VerificationRequest] = []
        for number in 0..<64 {
            var copy = handset
            var request = try copy.assertion(challenge, changes: .genuine.signer(stranger))
            request.idempotencyKey = underOneKey ? key : [UInt8(number)]
            requests.append(request)
        }
        let digests = Set(requests.map(\.digest))
        #expect(digests.count == 64)
        let verdicts = try await race(64) { [requests] in try await harness.verify(requests[$0]) }
        #expect(verdicts.count { $0.rejection == .badSignature } == 5)
        #expect(verdicts.count { $0.rejection == .challengeAttemptsExceeded } == 59)
    }

    @Test("judges an equal request in the place of one whose caller is gone")
    func abandoned() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let request = try await request(harness, &handset)
        let gone = Atomic(0)
        let admitted = [
            // Asked before its work and before the commit: there it is gone.
            try harness.admitted(request, isAbandoned: { gone.add(1, ordering: .relaxed).newValue > 1 }),
            try harness.admitted(request, isAbandoned: { true }), try harness.admitted(request), try harness.admitted(request),
        ]
        let answers = await harness.pipeline.judge(admitted)
        for answer in answers.prefix(2) {
            guard case .abandoned = answer else {
                Issue.record("an abandoned request was answered")
                continue
            }
        }
        #expect(answers[2].isAccepted)
        guard case .repeated = answers[3] else {
            Issue.record("the last one was not answered by the verdict of the one before")
            return
        }
    }

    @Test("gives equals no verdict while the ledger is away, and takes no attempt for it")
    func outage() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let request = try await request(harness, &handset)
        harness.ledger.fail(.commit, with: .unavailable("test"))
        for _ in 0..<6 {
            let answers = await harness.pipeline.judge(try (0..<8).map { _ in try harness.admitted(request) })
            #expect(
                answers.count { if case .failed(let error) = $0 { RPCError(error).code == .unavailable } else { false } } == 8)
        }
        harness.ledger.fail(.commit, with: nil)
        #expect(try await harness.verify(request).isAccepted)
    }
}

/// A verdict that another task leaves behind.
private final class Slot: Sendable {
    private let state = Mutex<Assay_V1_Verdict?>(nil)
    var value: Assay_V1_Verdict? { state.withLock { $0 } }
    func put(_ verdict: Assay_V1_Verdict?) { state.withLock { $0 = verdict } }
}
