import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Testing

@Suite("Outage of the ledger")
struct OutageTests {
    static let outages: [(LedgerError, RPCStatusCode, String)] = [
        (.unavailable("disk full"), .unavailable, "ledger_unavailable"),
        (.overloaded, .resourceExhausted, "ledger_overloaded"),
        (.corrupt("page 7"), .unavailable, "ledger_corrupt"),
        (.replaced("page 7"), .unavailable, "ledger_replaced"),
    ]

    @Test("at the commit is an RPC error that says when to try again, and nothing happened", arguments: outages)
    func commit(_ error: LedgerError, _ code: RPCStatusCode, _ reason: String) async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        let request = try handset.assertion(try await harness.challenge(.assert))
        harness.ledger.fail(.commit, with: error)
        let failure = try #require(try await harness.failure(request))
        #expect(failure.code == code && failure.reason == reason)
        #expect((failure.retryAfterMilliseconds ?? 0) > 0)
        #expect(!failure.message.contains("disk full") && !failure.message.contains("page 7"), "callers need not know")
        #expect(try await harness.ledger.device(device)?.counter == 0)
        harness.ledger.fail(.commit, with: nil)
        #expect(try await harness.verify(request).isAccepted)
        #expect(harness.counters.counts.unavailable == 1 && harness.counters.counts.accepted == 2)
    }

    @Test(
        "at any question of a verification is never an acceptance and never a rejection",
        arguments: [WatchedLedger.Question.commit, .device, .verdict])
    func anyQuestion(_ question: WatchedLedger.Question) async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.idempotencyKey = [1]
        harness.ledger.fail(question, with: .unavailable("test"))
        for _ in 0..<20 { #expect(try await harness.failure(request)?.reason == "ledger_unavailable") }
        harness.ledger.fail(question, with: nil)
        #expect(try await harness.verify(request).isAccepted, "twenty outages were no attempts of the device")
    }

    @Test("does not keep what is malformed from being rejected")
    func rejection() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.challenge[0] = 9
        harness.ledger.fail(with: .unavailable("test"))
        #expect(try await harness.verify(request).rejection == .challengeInvalid)
    }

    @Test("ends for a whole group alike")
    func group() async throws {
        let harness = try await ServiceHarness()
        var requests: [VerificationRequest] = []
        for _ in 0..<8 { requests.append(try Handset().registration(try await harness.challenge(.register))) }
        harness.ledger.fail(.commit, with: .overloaded)
        let refused = await harness.pipeline.judge(try requests.map { try harness.admitted($0) })
        #expect(refused.count == 8)
        for answer in refused {
            guard case .failed(let error) = answer else {
                Issue.record("an answer in an outage is no error")
                continue
            }
            #expect(RPCError(error).reason == "ledger_overloaded")
        }
        harness.ledger.fail(.commit, with: nil)
        let accepted = await harness.pipeline.judge(try requests.map { try harness.admitted($0) })
        #expect(accepted.count { $0.isAccepted } == 8)
    }

    @Test("that leaves some devices of a group without an answer fails their requests, and no others")
    func missingAnswers() async throws {
        let harness = try await ServiceHarness()
        var requests: [VerificationRequest] = []
        for _ in 0..<3 {
            var (handset, _) = try await harness.enrol()
            requests.append(try handset.assertion(try await harness.challenge(.assert)))
        }
        harness.ledger.answerDevices(atMost: 1)
        let answers = await harness.pipeline.judge(try requests.map { try harness.admitted($0) })
        #expect(answers.map(\.isAccepted) == [true, false, false])
        for answer in answers.dropFirst() {
            guard case .failed(let error) = answer else {
                Issue.record("an answer in an outage is no error")
                continue
            }
            #expect(RPCError(error).reason == "ledger_unavailable")
        }
    }

    @Test("while a new challenge key is looked for stays an outage, however often one asks")
    func reload() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        // Another daemon on the same ledger has published a key that this one does not know yet.
        let clock = harness.clock
        clock.advance(milliseconds: 24 * 3_600_000)
        let other = try await ServiceHarness(ledger: harness.ledger, clock: clock)
        clock.advance(milliseconds: 600_000)
        let request = try handset.assertion(try await other.challenge(.assert))
        harness.ledger.fail(.secrets, with: .unavailable("test"))
        let asked = harness.ledger.asked(.secrets)
        for _ in 0..<3 { #expect(try await harness.failure(request)?.reason == "ledger_unavailable") }
        #expect(harness.ledger.asked(.secrets) == asked + 1)
        harness.ledger.fail(.secrets, with: nil)
        clock.advance(milliseconds: 1000)
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("does not keep challenges from being issued")
    func issuing() async throws {
        let harness = try await ServiceHarness()
        harness.ledger.fail(with: .unavailable("test"))
        #expect(try await harness.challenge(.assert).count == Challenge.length)
    }
}
