import AssayAPI
import AssayCore
import AssayService
import AssaySimulator
import AssayTesting
import Testing

/// Requests that are judged together.
@Suite("Group of requests")
struct GroupTests {
    @Test("asks for its registered devices once, and each request is judged by its own device")
    func devices() async throws {
        let harness = try await ServiceHarness()
        var known: [(handset: Handset, device: DeviceID)] = []
        for _ in 0..<4 { known.append(try await harness.enrol()) }
        var stranger = Handset()
        var requests = [try stranger.assertion(try await harness.challenge(.assert))]
        for index in known.indices {
            requests.append(try known[index].handset.assertion(try await harness.challenge(.assert)))
        }
        // Refused before its device is asked for.
        requests[3].challenge[0] = 9
        // A new device beside known ones.
        requests.append(try Handset().registration(try await harness.challenge(.register)))
        let asked = harness.ledger.asked(.devices)
        let answers = await harness.pipeline.judge(try requests.map { try harness.admitted($0) })
        #expect(harness.ledger.asked(.devices) == asked + 1)
        #expect(answers.map(code) == [.unknownDevice, nil, nil, .challengeInvalid, nil, nil])
        let devices = answers[1...4].map { $0.verdict?.device }
        #expect(devices == [known[0].device, known[1].device, nil, known[3].device])
        #expect(answers.last?.verdict?.device != nil)
    }

    @Test("gives the same verdicts as the same requests one by one")
    func alone() async throws {
        var codes: [[ReasonCode?]] = []
        for together in [true, false] {
            let harness = try await ServiceHarness()
            var (handset, device) = try await harness.enrol()
            var (blocked, stolen) = try await harness.enrol()
            _ = try await harness.ledger.block(.device(stolen), reason: "stolen", at: ServiceHarness.opening)
            var requests: [VerificationRequest] = []
            for counter in [5, 5, 6, 4] as [UInt32] {
                requests.append(
                    try handset.assertion(try await harness.challenge(.assert), changes: .genuine.counter(counter)))
            }
            requests.append(try blocked.assertion(try await harness.challenge(.assert)))
            let admitted = try requests.map { try harness.admitted($0) }
            var answers: [Answer] = []
            if together {
                answers = await harness.pipeline.judge(admitted)
            } else {
                for request in admitted { answers += await harness.pipeline.judge([request]) }
            }
            codes.append(answers.map(code))
            #expect(try await harness.ledger.device(device)?.counter == 6)
        }
        #expect(codes[0] == codes[1] && codes[0] == [nil, .counterNotIncreasing, nil, nil, .deviceBlocked])
    }

    @Test("A device that cannot be read fails its own request, and no other")
    func failure() async throws {
        let harness = try await ServiceHarness()
        var requests: [VerificationRequest] = []
        for _ in 0..<3 {
            var (handset, _) = try await harness.enrol()
            requests.append(try handset.assertion(try await harness.challenge(.assert)))
        }
        let ledger = harness.ledger
        // From the second device on.
        ledger.before(.device) { ledger.fail(.device, with: .corrupt("test")) }
        let answers = await harness.pipeline.judge(try requests.map { try harness.admitted($0) })
        #expect(answers.map(isAccepted) == [true, false, false])
        #expect(answers.dropFirst().allSatisfy { if case .failed(.ledger(.corrupt)) = $0 { true } else { false } })
        ledger.fail(.device, with: nil)
        let again = await harness.pipeline.judge(try requests.dropFirst().map { try harness.admitted($0) })
        #expect(again.map(isAccepted) == [true, true])
    }

    private func isAccepted(_ answer: Answer) -> Bool {
        if case .accepted = answer.verdict?.decision { true } else { false }
    }

    /// Of a rejection.
    private func code(_ answer: Answer) -> ReasonCode? {
        if case .rejected(let rejection, _) = answer.verdict?.decision { rejection.code.builtIn } else { nil }
    }
}
