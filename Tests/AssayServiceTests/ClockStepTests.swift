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
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let challenge = try await house.challenge(.assert)
        #expect(try await house.verify(try handset.assertion(challenge)).isAccepted)
        house.clock.advance(milliseconds: hour)
        try await house.ledger.purge(now: house.clock.now())
        house.clock.advance(milliseconds: -hour)
        let verdict = try await house.verify(try handset.assertion(challenge))
        #expect(verdict.rejection == .challengeExpired && verdict.check == "commit")
    }

    @Test("back gives no second acceptance of a request under an idempotency key")
    func backWithIdempotency() async throws {
        let house = try await House()
        var (handset, device) = try await house.enrol()
        var request = try handset.assertion(try await house.challenge(.assert))
        request.idempotencyKey = [1]
        #expect(try await house.verify(request).isAccepted)
        house.clock.advance(milliseconds: 2 * hour)
        try await house.ledger.purge(now: house.clock.now())
        house.clock.advance(milliseconds: -2 * hour)
        let verdict = try await house.verify(request)
        #expect(!verdict.isAccepted && !verdict.repeated)
        #expect(try await house.ledger.device(device)?.counter == 1)
    }

    @Test("back leaves challenges good that expire above the horizon")
    func aboveHorizon() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        house.clock.advance(milliseconds: hour)
        try await house.ledger.purge(now: house.clock.now())
        house.clock.advance(milliseconds: 10 * 60_000 - hour)
        #expect(try await house.assert(&handset).isAccepted)
    }

    @Test("back refuses falsely at most until the horizon is passed")
    func belowHorizon() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        #expect(try await house.assert(&handset).isAccepted)
        house.clock.advance(milliseconds: hour)
        try await house.ledger.purge(now: house.clock.now())
        house.clock.advance(milliseconds: -2 * hour)
        #expect(try await house.assert(&handset).rejection == .challengeExpired)
        house.clock.advance(milliseconds: hour + 1)
        #expect(try await house.assert(&handset).isAccepted)
    }

    @Test("back to before the first key still issues and opens")
    func beforeTheKey() async throws {
        let house = try await House()
        house.clock.advance(milliseconds: -24 * hour)
        #expect(try await house.verify(try Handset().registration(try await house.challenge(.register))).isAccepted)
        for _ in 0..<3 { try await house.keys.rotate() }
        #expect(house.keys.keyring.keys.count == 2, "one that counts from the time that is now told")
        #expect(try await house.verify(try Handset().registration(try await house.challenge(.register))).isAccepted)
    }

    @Test("back makes challenges of the future worthless, since they would be good for too long")
    func challengesFromTheFuture() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        house.clock.advance(milliseconds: 24 * hour)
        let challenge = try await house.challenge(.assert)
        house.clock.advance(milliseconds: -24 * hour)
        #expect(try await house.verify(try handset.assertion(challenge)).rejection == .challengeExpired)
        #expect(try await house.assert(&handset).isAccepted, "a new one is good")
        // One that is good for an hour, issued by a clock that is ahead by the skew that is allowed.
        house.clock.advance(milliseconds: 300_000)
        let ahead = try await house.challenge(.assert, milliseconds: 3_600_000)
        house.clock.advance(milliseconds: -300_000)
        #expect(try await house.verify(try handset.assertion(ahead)).isAccepted)
    }

    @Test("in either direction, again and again, makes nothing fresh that was spent, and the house recovers each time")
    func backAndForth() async throws {
        let house = try await House()
        var (handset, device) = try await house.enrol()
        var accepted: [VerificationRequest] = []
        var counters: [UInt32] = []
        // Up to a day in either direction, and back to where it was each time.
        for step: Int64 in [hour, -hour, 24 * hour, -24 * hour, 5 * 60_000, -5 * 60_000, 0] {
            for leg in [step, -step] {
                house.clock.advance(milliseconds: leg)
                let request = try handset.assertion(try await house.challenge(.assert))
                if try await house.verify(request).isAccepted { accepted.append(request) }
                try await house.keys.rotate()
                for old in accepted { #expect(try await house.verify(old).isAccepted == false) }
                counters.append(try #require(try await house.ledger.device(device)).counter)
            }
            house.clock.advance(milliseconds: hour)
            try await house.ledger.purge(now: house.clock.now())
            for old in accepted { #expect(try await house.verify(old).isAccepted == false) }
            // Where it issued and spent at a time to come, it is good again when that time is reached at the latest.
            house.clock.advance(milliseconds: 24 * hour)
            #expect(try await house.assert(&handset).isAccepted)
        }
        #expect(counters == counters.sorted(), "no counter goes back")
        #expect(accepted.count > 10)
    }

    @Test("forward expires challenges and rotates keys, and the house goes on")
    func forward() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let old = try handset.assertion(try await house.challenge(.assert))
        house.clock.advance(milliseconds: 365 * 24 * hour)
        try await house.ledger.purge(now: house.clock.now())
        try await house.keys.rotate()
        #expect(try await house.verify(old).rejection == .challengeExpired)
        #expect(try await house.assert(&handset).isAccepted)
        #expect(house.keys.keyring.keys.count == 2)
    }

    @Test("forward and back again keeps the keys of living challenges")
    func forwardAndBack() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        house.clock.advance(milliseconds: 365 * 24 * hour)
        try await house.keys.rotate()
        house.clock.advance(milliseconds: -365 * 24 * hour)
        try await house.keys.rotate()
        #expect(try await house.assert(&handset).isAccepted)
    }
}
