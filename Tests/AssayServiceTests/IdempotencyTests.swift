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

    private func request(_ house: House, _ handset: inout Handset) async throws -> VerificationRequest {
        var request = try handset.assertion(try await house.challenge(.assert))
        request.idempotencyKey = key
        return request
    }

    @Test("gives an equal request the stored verdict, marked repeated, and does nothing twice")
    func equal() async throws {
        let house = try await House()
        var (handset, device) = try await house.enrol()
        let request = try await request(house, &handset)
        var first = try await house.verify(request)
        #expect(first.isAccepted && !first.repeated)
        for _ in 0..<10 {
            let again = try await house.verify(request)
            #expect(again.repeated)
            first.repeated = true
            #expect(again == first)
        }
        #expect(try await house.ledger.device(device)?.counter == 1)
        #expect(house.ledger.memory.auditLog.count == 2 && house.traffic.counts.repeated == 10)
    }

    @Test("holds for a registration too")
    func registration() async throws {
        let house = try await House()
        var request = try Handset().registration(try await house.challenge(.register))
        request.idempotencyKey = key
        let first = try await house.verify(request)
        let again = try await house.verify(request)
        #expect(first.isAccepted && again.repeated && again.deviceID == first.deviceID)
    }

    @Test("refuses other fields under the same key")
    func otherFields() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let request = try await request(house, &handset)
        #expect(try await house.verify(request).isAccepted)
        let changes: [(inout VerificationRequest) -> Void] = [
            { $0.challenge[40] ^= 1 }, { $0.context = [1] }, { $0.subject = [1] }, { $0.expectedDevice = .random() },
            { $0.binding = .clientData(payloadHash: [UInt8](repeating: 0, count: 32)) },
            { $0.evidence = [Evidence(format: .appAttestAssertion, keyID: [1], body: [2])] }, { $0.purpose = .register },
        ]
        for change in changes {
            var other = request
            change(&other)
            let verdict = try await house.verify(other)
            #expect(verdict.rejection == .idempotencyKeyReused && verdict.check == "idempotency" && !verdict.repeated)
        }
    }

    @Test("is per caller and per app")
    func scope() async throws {
        let callers = CallerDirectory(byUserID: [
            1: Caller(name: "one", roles: [.verify], apps: nil), 2: Caller(name: "two", roles: [.verify], apps: nil),
        ])
        let house = try await House(callers: callers)
        let one = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
        let two = RPCPeer.unix(userID: 2, groupID: 1, processID: 1)
        var request = try Handset().registration(try await house.challenge(.register, peer: one))
        request.idempotencyKey = key
        #expect(try await house.verify(request, peer: one).isAccepted)
        #expect(try await house.verify(request, peer: one).repeated)
        #expect(try await house.verify(request, peer: two).rejection == .challengeReused)
        var other = try Handset(app: .notes).registration(try await house.challenge(.register, app: .notes, peer: one))
        other.idempotencyKey = key
        let verdict = try await house.verify(other, peer: one)
        #expect(verdict.isAccepted && !verdict.repeated)
    }

    @Test("ends ten minutes after the challenge's expiry")
    func expiry() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let request = try await request(house, &handset)
        #expect(try await house.verify(request).isAccepted)
        house.clock.advance(milliseconds: 300_000 + 600_000 - 1)
        try await house.ledger.purge(now: house.clock.now())
        #expect(try await house.verify(request).repeated)
        house.clock.advance(milliseconds: 1)
        #expect(try await house.verify(request).rejection == .challengeExpired)
        try await house.ledger.purge(now: house.clock.now())
        #expect(try await house.verify(request).rejection == .challengeExpired)
    }

    @Test("is void once the device is blocked")
    func blocked() async throws {
        let house = try await House()
        var (handset, device) = try await house.enrol()
        let request = try await request(house, &handset)
        #expect(try await house.verify(request).isAccepted)
        _ = try await house.ledger.block(.device(device), reason: "lost", at: House.opening)
        #expect(try await house.verify(request).rejection == .deviceBlocked)
        _ = try await house.ledger.unblock(.device(device))
        #expect(try await house.verify(request).repeated)
    }

    @Test("is void once the device is forgotten, whatever its key does then")
    func forgotten() async throws {
        let house = try await House()
        var (handset, device) = try await house.enrol()
        let request = try await request(house, &handset)
        #expect(try await house.verify(request).isAccepted)
        #expect(try await house.ledger.forget(device) == ForgottenDevice(keyStaysBlocked: false))
        #expect(try await house.verify(request).rejection == .unknownDevice)
        let again = try handset.registration(try await house.challenge(.register))
        #expect(try await house.verify(again).isAccepted)
        #expect(try await house.verify(request).rejection == .challengeReused, "the same key is another device")
    }

    @Test("does not keep rejections")
    func rejections() async throws {
        let house = try await House()
        var handset = Handset()
        let assertion = try await request(house, &handset)
        #expect(try await house.verify(assertion).rejection == .unknownDevice)
        #expect(try await house.verify(try handset.registration(try await house.challenge(.register))).isAccepted)
        let verdict = try await house.verify(assertion)
        #expect(verdict.isAccepted && !verdict.repeated)
    }

    @Test("gives two racing equals one verdict: the loser gets the winner's")
    func twoRacers() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let request = try await request(house, &handset)
        // Both have passed every check before either is committed.
        let admitted = [try house.admitted(request), try house.admitted(request)]
        let answers = await house.pipeline.judge(admitted)
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
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let request = try await request(house, &handset)
        // The winner comes and goes between the loser's look for a stored verdict and its look for the device, at another
        // daemon on the same ledger: within one, equal requests are judged together.
        let other = try await House(ledger: house.ledger, clock: house.clock)
        let winner = Slot()
        house.ledger.before(.device) {
            let verdict = try? await other.verify(request)
            winner.put(verdict)
        }
        let loser = try await house.verify(request)
        let won = winner.value
        #expect(won?.isAccepted == true && won?.repeated == false)
        #expect(loser.repeated && loser.requestID == won?.requestID)
    }

    @Test("gives 64 racing equals the winner's verdict, by one attempt and one commit")
    func racers() async throws {
        for _ in 0..<8 {
            let house = try await House()
            var (handset, device) = try await house.enrol()
            let request = try await request(house, &handset)
            let before = house.ledger.asked(.commit)
            let verdicts = try await race(64) { _ in try await house.verify(request) }
            let accepted = verdicts.filter { $0.isAccepted && !$0.repeated }
            #expect(accepted.count == 1)
            #expect(verdicts.count { $0.repeated && $0.requestID == accepted.first?.requestID } == 63)
            #expect(house.ledger.asked(.commit) == before + 1)
            #expect(try await house.ledger.device(device)?.counter == 1 && house.ledger.memory.auditLog.count == 2)
            #expect(try await house.verify(request).repeated)
        }
    }

    @Test("gives equals in one group, and in groups that wait for each other, the winner's verdict")
    func groups() async throws {
        let house = try await House()
        var first: [VerificationRequest] = []
        for number in 0..<2 {
            var request = try Handset().registration(try await house.challenge(.register))
            request.idempotencyKey = [UInt8(number)]
            first.append(request)
        }
        let plain = try Handset().registration(try await house.challenge(.register))
        let orders = [[first[0], first[1], plain, first[0]], [first[1], first[0], first[1], first[0]]]
        let groups = try orders.map { try $0.map { try house.admitted($0) } }
        let answers = try await race(2) { number in (number, await house.pipeline.judge(groups[number])) }
        let all = answers.sorted { $0.0 < $1.0 }.flatMap(\.1)
        #expect(all.count == 8 && all.count(where: \.isAccepted) == 3)
        #expect(all.count { if case .repeated = $0 { true } else { false } } == 5)
        #expect(answers.first { $0.0 == 0 }?.1[2].isAccepted == true, "answers come in the order of the requests")
        #expect(try await house.ledger.status().devices == 3)
    }

    @Test("gives racing equals one rejection, by one attempt; each answer has its own request id")
    func rejectedRacers() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let challenge = try await house.challenge(.assert)
        let stranger = TestSigningKey(.p256)
        var forged = try handset.assertion(challenge, changes: .genuine.signer(stranger))
        forged.idempotencyKey = key
        // Held until all have come.
        let admitted = try (0..<64).map { _ in try house.admitted(forged) }
        let answers = await house.pipeline.judge(admitted)
        #expect(answers.count { $0.rejection == .badSignature } == 64)
        #expect(Set(answers.compactMap { $0.verdict?.requestID }).count == 64)
        // Four attempts are left to requests that differ, whatever their keys.
        for number in 0..<4 {
            var other = try handset.assertion(challenge, changes: .genuine.signer(stranger))
            other.idempotencyKey = [UInt8(number)]
            #expect(try await house.verify(other).rejection == .badSignature)
        }
        #expect(try await house.verify(try handset.assertion(challenge)).rejection == .challengeAttemptsExceeded)
    }

    @Test("does not share the attempts of a challenge among requests that differ", arguments: [false, true])
    func differing(underOneKey: Bool) async throws {
        let house = try await House()
        let (handset, _) = try await house.enrol()
        let challenge = try await house.challenge(.assert)
        let stranger = TestSigningKey(.p256)
        var requests: [VerificationRequest] = []
        for number in 0..<64 {
            var copy = handset
            var request = try copy.assertion(challenge, changes: .genuine.signer(stranger))
            request.idempotencyKey = underOneKey ? key : [UInt8(number)]
            requests.append(request)
        }
        #expect(Set(requests.map(\.digest)).count == 64)
        let verdicts = try await race(64) { [requests] in try await house.verify(requests[$0]) }
        #expect(verdicts.count { $0.rejection == .badSignature } == 5)
        #expect(verdicts.count { $0.rejection == .challengeAttemptsExceeded } == 59)
    }

    @Test("judges an equal request in the place of one whose caller is gone")
    func abandoned() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let request = try await request(house, &handset)
        let gone = Atomic(0)
        let admitted = [
            // Asked before its work and before the commit: there it is gone.
            try house.admitted(request, isAbandoned: { gone.add(1, ordering: .relaxed).newValue > 1 }),
            try house.admitted(request, isAbandoned: { true }), try house.admitted(request), try house.admitted(request),
        ]
        let answers = await house.pipeline.judge(admitted)
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
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let request = try await request(house, &handset)
        house.ledger.fail(.commit, with: .unavailable("test"))
        for _ in 0..<6 {
            let answers = await house.pipeline.judge(try (0..<8).map { _ in try house.admitted(request) })
            #expect(answers.count { if case .failed(let error) = $0 { error.code == .unavailable } else { false } } == 8)
        }
        house.ledger.fail(.commit, with: nil)
        #expect(try await house.verify(request).isAccepted)
    }
}

/// A verdict that another task leaves behind.
private final class Slot: Sendable {
    private let state = Mutex<Assay_V1_Verdict?>(nil)
    var value: Assay_V1_Verdict? { state.withLock { $0 } }
    func put(_ verdict: Assay_V1_Verdict?) { state.withLock { $0 = verdict } }
}
