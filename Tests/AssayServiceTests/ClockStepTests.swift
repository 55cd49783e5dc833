import AssayAPI
import AssayCore
import AssayService
import AssayTesting
import Testing

@Suite("Clock step")
struct ClockStepTests {
    private let hour: Int64 = 3_600_000

    @Test("back gives no second acceptance of what was spent and purged")
    func back() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        #expect(try await harness.verify(try handset.assertion(challenge)).isAccepted)
        harness.clock.advance(milliseconds: hour)
        try await harness.ledger.purge(now: harness.clock.now())
        harness.clock.advance(milliseconds: -hour)
        let verdict = try await harness.verify(try handset.assertion(challenge))
        #expect(verdict.rejection == .challengeExpired && verdict.check == "commit")
    }

    @Test("back gives no second acceptance of a request under an idempotency key")
    func backWithIdempotency() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.idempotencyKey = [1]
        #expect(try await harness.verify(request).isAccepted)
        harness.clock.advance(milliseconds: 2 * hour)
        try await harness.ledger.purge(now: harness.clock.now())
        harness.clock.advance(milliseconds: -2 * hour)
        let verdict = try await harness.verify(request)
        #expect(!verdict.isAccepted && !verdict.repeated)
        #expect(try await harness.ledger.device(device)?.counter == 1)
    }

    @Test("back leaves challenges good that expire above the horizon")
    func aboveHorizon() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        harness.clock.advance(milliseconds: hour)
        try await harness.ledger.purge(now: harness.clock.now())
        harness.clock.advance(milliseconds: 10 * 60_000 - hour)
        #expect(try await harness.assert(&handset).isAccepted)
    }

    @Test("back refuses falsely at most until the horizon is passed")
    func belowHorizon() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        #expect(try await harness.assert(&handset).isAccepted)
        harness.clock.advance(milliseconds: hour)
        try await harness.ledger.purge(now: harness.clock.now())
        harness.clock.advance(milliseconds: -2 * hour)
        #expect(try await harness.assert(&handset).rejection == .challengeExpired)
        harness.clock.advance(milliseconds: hour + 1)
        #expect(try await harness.assert(&handset).isAccepted)
    }

    @Test("back to before the first key still issues and opens")
    func beforeTheKey() async throws {
        let harness = try await ServiceHarness()
        harness.clock.advance(milliseconds: -24 * hour)
        #expect(try await harness.verify(try Handset().registration(try await harness.challenge(.register))).isAccepted)
        for _ in 0..<3 { try await harness.keys.rotate() }
        #expect(harness.keys.keyring.keys.count == 2, "one that counts from the time that is now told")
        #expect(try await harness.verify(try Handset().registration(try await harness.challenge(.register))).isAccepted)
    }

    @Test("back makes challenges of the future worthless, since they would be good for too long")
    func challengesFromTheFuture() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        harness.clock.advance(milliseconds: 24 * hour)
        let challenge = try await harness.challenge(.assert)
        harness.clock.advance(milliseconds: -24 * hour)
        #expect(try await harness.verify(try handset.assertion(challenge)).rejection == .challengeExpired)
        #expect(try await harness.assert(&handset).isAccepted, "a new one is good")
        // One that is good for an hour, issued by a clock that is ahead by the skew that is allowed.
        harness.clock.advance(milliseconds: 300_000)
        let ahead = try await harness.challenge(.assert, milliseconds: 3_600_000)
        harness.clock.advance(milliseconds: -300_000)
        #expect(try await harness.verify(try handset.assertion(ahead)).isAccepted)
    }

    @Test("in either direction, again and again, makes nothing fresh that was spent, and the service recovers each time")
    func backAndForth() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        var accepted: [VerificationRequest] = []
        var counters: [UInt32] = []
        // Up to a day in either direction, and back to where it was each time.
        for step: Int64 in [hour, -hour, 24 * hour, -24 * hour, 5 * 60_000, -5 * 60_000, 0] {
            for leg in [step, -step] {
                harness.clock.advance(milliseconds: leg)
                let request = try handset.assertion(try await harness.challenge(.assert))
                if try await harness.verify(request).isAccepted { accepted.append(request) }
                try await harness.keys.rotate()
                for old in accepted { #expect(try await harness.verify(old).isAccepted == false) }
                counters.append(try #require(try await harness.ledger.device(device)).counter)
            }
            harness.clock.advance(milliseconds: hour)
            try await harness.ledger.purge(now: harness.clock.now())
            for old in accepted { #expect(try await harness.verify(old).isAccepted == false) }
            // Where it issued and spent at a time to come, it is good again when that time is reached at the latest.
            harness.clock.advance(milliseconds: 24 * hour)
            #expect(try await harness.assert(&handset).isAccepted)
        }
        #expect(counters == counters.sorted(), "no counter goes back")
        #expect(accepted.count > 10)
    }

    @Test("forward expires challenges and rotates keys, and the service goes on")
    func forward() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let old = try handset.assertion(try await harness.challenge(.assert))
        harness.clock.advance(milliseconds: 365 * 24 * hour)
        try await harness.ledger.purge(now: harness.clock.now())
        try await harness.keys.rotate()
        #expect(try await harness.verify(old).rejection == .challengeExpired)
        #expect(try await harness.assert(&handset).isAccepted)
        #expect(harness.keys.keyring.keys.count == 2)
    }

    @Test("forward and back again keeps the keys of living challenges")
    func forwardAndBack() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        harness.clock.advance(milliseconds: 365 * 24 * hour)
        try await harness.keys.rotate()
        harness.clock.advance(milliseconds: -365 * 24 * hour)
        try await harness.keys.rotate()
        #expect(try await harness.assert(&handset).isAccepted)
    }
}
