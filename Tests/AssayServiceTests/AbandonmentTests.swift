import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import SwiftProtobuf
import Synchronization
import Testing

@Suite("Abandoned call")
struct AbandonmentTests {
    @Test("is not begun, not answered and not counted")
    func pastDeadline() async throws {
        let harness = try await ServiceHarness()
        let request = try Handset().registration(try await harness.challenge(.register))
        let message: [UInt8] = try request.message.serializedBytes()
        #expect(try await harness.ask(API.verify.path, message, timeout: .zero) == nil)
        #expect(harness.ledger.asked(.commit) == 0 && harness.counters.counts.accepted == 0)
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("for a challenge is not answered")
    func challenge() async throws {
        let harness = try await ServiceHarness()
        let message: [UInt8] = try Assay_V1_IssueChallengeRequest.with { ($0.app, $0.purpose) = ("camera", .assert) }
            .serializedBytes()
        #expect(try await harness.ask(API.issueChallenge.path, message, timeout: .zero) == nil)
        #expect(harness.counters.counts.challengesIssued == 0)
    }

    @Test("joins no commit when it is given up while its evidence is looked at")
    func beforeCommit() async throws {
        let harness = try await ServiceHarness()
        let request = try Handset().registration(try await harness.challenge(.register))
        let questions = Questions()
        let admitted = try harness.admitted(request, isAbandoned: { questions.ask() > 1 })
        guard case .abandoned? = await harness.pipeline.judge([admitted]).first else {
            Issue.record("an abandoned request was answered")
            return
        }
        #expect(harness.ledger.asked(.commit) == 0)
        #expect(try await harness.verify(request).isAccepted, "nothing was spent")
    }

    @Test("leaves the others of its group alone")
    func neighbours() async throws {
        let harness = try await ServiceHarness()
        var group: [AuthorizedRequest] = []
        for number in 0..<4 {
            let questions = Questions()
            group.append(
                try harness.admitted(
                    try Handset().registration(try await harness.challenge(.register)),
                    isAbandoned: { number % 2 == 1 && questions.ask() > 1 }))
        }
        let answers = await harness.pipeline.judge(group)
        #expect(answers.map(\.isAccepted) == [true, false, true, false])
        #expect(try await harness.ledger.status().devices == 2)
    }

    @Test("is no attempt of the device, however often it is given up")
    func attempts() async throws {
        let harness = try await ServiceHarness()
        let request = try Handset().registration(try await harness.challenge(.register))
        for _ in 0..<10 {
            let questions = Questions()
            _ = await harness.pipeline.judge([try harness.admitted(request, isAbandoned: { questions.ask() > 1 })])
        }
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("that has joined a commit is kept, and the caller finds it")
    func afterCommit() async throws {
        let harness = try await ServiceHarness()
        var request = try Handset().registration(try await harness.challenge(.register))
        request.idempotencyKey = [1]
        let gone = Gone()
        harness.ledger.before(.commit) { gone.leave() }
        _ = await harness.pipeline.judge([try harness.admitted(request, isAbandoned: { gone.hasLeft })])
        #expect(try await harness.ledger.status().devices == 1)
        #expect(try await harness.verify(request).repeated)
    }
}

/// Counts how often it is asked.
private final class Questions: Sendable {
    private let count = Atomic(0)
    func ask() -> Int { count.add(1, ordering: .relaxed).newValue }
}

private final class Gone: Sendable {
    private let state = Atomic(false)
    var hasLeft: Bool { state.load(ordering: .relaxed) }
    func leave() { state.store(true, ordering: .relaxed) }
}
