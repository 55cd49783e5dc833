import AssayAPI
import AssayCore
import AssayRPC
import AssayService
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
            { $0.binding = .clientData(payloadHash: [UInt8](repeating: 1, count: 32)) },
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
        // The winner comes and goes between the loser's look for a stored verdict and its look for the device.
        let winner = Slot()
        house.ledger.before(.device) {
            let verdict = try? await house.verify(request)
            winner.put(verdict)
        }
        let loser = try await house.verify(request)
        let won = winner.value
        #expect(won?.isAccepted == true && won?.repeated == false)
        #expect(loser.repeated && loser.requestID == won?.requestID)
    }

    @Test("accepts one of eight racing equals; the others get its verdict or a typed rejection")
    func eightRacers() async throws {
        let house = try await House()
        var (handset, device) = try await house.enrol()
        let request = try await request(house, &handset)
        let verdicts = try await race(8) { _ in try await house.verify(request) }
        let accepted = verdicts.filter { $0.isAccepted && !$0.repeated }
        #expect(accepted.count == 1)
        for verdict in verdicts where !verdict.isAccepted {
            #expect([.counterNotIncreasing, .challengeReused, .challengeAttemptsExceeded].contains(verdict.rejection))
        }
        for verdict in verdicts where verdict.repeated { #expect(verdict.requestID == accepted.first?.requestID) }
        #expect(try await house.ledger.device(device)?.counter == 1 && house.ledger.memory.auditLog.count == 2)
        #expect(try await house.verify(request).repeated)
    }
}

/// A verdict that another task leaves behind.
private final class Slot: Sendable {
    private let state = Mutex<Assay_V1_Verdict?>(nil)
    var value: Assay_V1_Verdict? { state.withLock { $0 } }
    func put(_ verdict: Assay_V1_Verdict?) { state.withLock { $0 = verdict } }
}
