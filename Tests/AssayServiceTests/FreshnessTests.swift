import AssayAPI
import AssayCore
import AssayService
import AssaySimulator
import AssayTesting
import Testing

@Suite("Freshness")
struct FreshnessTests {
    @Test("refuses a challenge of another app as challenge_invalid")
    func otherApp() async throws {
        let house = try await House()
        let challenge = try await house.challenge(.register, app: .notes)
        #expect(try await house.verify(try Handset(app: .camera).registration(challenge)).rejection == .challengeInvalid)
        #expect(try await house.verify(try Handset(app: .notes).registration(challenge)).isAccepted)
    }

    @Test("refuses a challenge in another context, or in none, as challenge_invalid")
    func otherContext() async throws {
        let house = try await House()
        let challenge = try await house.challenge(.register, context: [1, 2, 3])
        var request = try Handset().registration(challenge)
        for context in [[], [1, 2], [1, 2, 4], [1, 2, 3, 0]] as [[UInt8]] {
            request.context = context
            #expect(try await house.verify(request).rejection == .challengeInvalid)
        }
        request.context = [1, 2, 3]
        #expect(try await house.verify(request).isAccepted)
    }

    @Test("refuses a challenge of which any byte was changed", arguments: 0..<Challenge.length)
    func tampered(_ index: Int) async throws {
        let house = try await House()
        var challenge = try await house.challenge(.register)
        challenge[index] ^= 0x01
        #expect(try await house.verify(try Handset().registration(challenge)).rejection == .challengeInvalid)
        #expect(house.ledger.asked(.commit) == 0)
    }

    @Test("refuses a challenge of any other length", arguments: [0, 1, 53, 55, 1000])
    func length(_ count: Int) async throws {
        let house = try await House()
        let issued = try await house.challenge(.register)
        let challenge = Array((issued + [UInt8](repeating: 0, count: 1000)).prefix(count))
        let verdict = try await house.verify(try Handset().registration(challenge))
        #expect(verdict.rejection == .challengeInvalid && verdict.check == "challenge")
    }

    @Test("refuses a challenge under an unknown key id, having looked for it once")
    func unknownKey() async throws {
        let house = try await House()
        let forged = ChallengeKey(id: 0xFFFF_FFFF, secret: [UInt8](repeating: 1, count: 32), createdAt: House.opening)
            .issue(app: .camera, purpose: .register, context: [], expiry: House.opening.adding(milliseconds: 1000))
        let before = house.ledger.asked(.secrets)
        for _ in 0..<20 {
            #expect(try await house.verify(try Handset().registration(forged)).rejection == .challengeInvalid)
        }
        #expect(house.ledger.asked(.secrets) == before + 1, "invented key ids do not hammer the ledger")
    }

    @Test("refuses a challenge under a known key id and another secret")
    func otherSecret() async throws {
        let house = try await House()
        let id = try #require(house.keys.keyring.keys.first).id
        let forged = ChallengeKey(id: id, secret: [UInt8](repeating: 1, count: 32), createdAt: House.opening)
            .issue(app: .camera, purpose: .register, context: [], expiry: House.opening.adding(milliseconds: 1000))
        #expect(try await house.verify(try Handset().registration(forged)).rejection == .challengeInvalid)
    }

    @Test("tells a challenge of another purpose from an invalid one", arguments: [Purpose.assert, .provision, .renew])
    func wrongPurpose(_ purpose: Purpose) async throws {
        let house = try await House()
        let verdict = try await house.verify(try Handset().registration(try await house.challenge(purpose)))
        #expect(verdict.rejection == .challengeWrongPurpose)
    }

    @Test("refuses a challenge from its expiry on")
    func expired() async throws {
        let house = try await House()
        let challenge = try await house.challenge(.register, milliseconds: 1000)
        let request = try Handset().registration(challenge)
        house.clock.advance(milliseconds: 1000)
        #expect(try await house.verify(request).rejection == .challengeExpired)
        house.clock.advance(milliseconds: -1)
        #expect(try await house.verify(request).isAccepted)
    }

    @Test("refuses a challenge that was accepted, for any device")
    func reused() async throws {
        let house = try await House()
        var (first, _) = try await house.enrol()
        var (second, _) = try await house.enrol()
        let challenge = try await house.challenge(.assert)
        #expect(try await house.verify(try first.assertion(challenge)).isAccepted)
        let again = try await house.verify(try first.assertion(challenge))
        #expect(again.rejection == .challengeReused && again.check == "commit")
        #expect(again.findings.last?.code == "challenge_reused")
        #expect(try await house.verify(try second.assertion(challenge)).rejection == .challengeReused)
    }

    @Test("does not mistake the purpose that the device signed")
    func signedPurpose() async throws {
        let house = try await House()
        let handset = Handset()
        let challenge = try await house.challenge(.register)
        var request = try handset.registration(challenge)
        let other = try #require(ClientData(purpose: .assert, challenge: challenge))
        request.evidence = [try handset.attestation(over: other.hash)]
        #expect(try await house.verify(request).rejection == .nonceMismatch)
    }
}

@Suite("Challenge attempts")
struct ChallengeAttemptsTests {
    @Test("are five, also for good evidence after five bad ones")
    func limit() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let challenge = try await house.challenge(.assert)
        let stranger = TestSigningKey(.p256)
        for _ in 0..<5 {
            let verdict = try await house.verify(try handset.assertion(challenge, changes: .genuine.signer(stranger)))
            #expect(verdict.rejection == .badSignature)
        }
        let verdict = try await house.verify(try handset.assertion(challenge))
        #expect(verdict.rejection == .challengeAttemptsExceeded && verdict.check == "challenge")
        #expect(try await house.assert(&handset).isAccepted, "another challenge is another count")
    }

    @Test("leave the fifth to good evidence")
    func fifth() async throws {
        let house = try await House()
        var (handset, _) = try await house.enrol()
        let challenge = try await house.challenge(.assert)
        for _ in 0..<4 {
            _ = try await house.verify(try handset.assertion(challenge, changes: .genuine.signer(TestSigningKey(.p256))))
        }
        #expect(try await house.verify(try handset.assertion(challenge)).isAccepted)
    }

    @Test("are not counted for challenges that are not authentic")
    func unauthentic() async throws {
        let house = try await House()
        let challenge = try await house.challenge(.register, context: [1])
        var request = try Handset().registration(challenge)
        for _ in 0..<20 { #expect(try await house.verify(request).rejection == .challengeInvalid) }
        request.context = [1]
        #expect(try await house.verify(request).isAccepted)
    }

    @Test("are remembered over an hour of other challenges")
    func generations() throws {
        let attempts = ChallengeAttempts()
        let key = ChallengeKey(id: 1, secret: [UInt8](repeating: 1, count: 32), createdAt: House.opening)
        func challenge() throws -> Challenge {
            try Challenge(
                parsing: key.issue(app: .camera, purpose: .assert, context: [], expiry: House.opening.adding(milliseconds: 1)))
        }
        let tried = try challenge()
        for _ in 0..<ChallengeAttempts.limit { try attempts.count(tried, now: House.opening) }
        // The next generation begins.
        let later = House.opening.adding(milliseconds: Int64(ChallengeRule.longest) + 1)
        try attempts.count(try challenge(), now: later)
        #expect(throws: Rejection(.challengeAttemptsExceeded, "")) { try attempts.count(tried, now: later) }
    }

    @Test("that were taken back are not counted")
    func forgotten() throws {
        let attempts = ChallengeAttempts()
        let key = ChallengeKey(id: 1, secret: [UInt8](repeating: 1, count: 32), createdAt: House.opening)
        let challenge = try Challenge(
            parsing: key.issue(app: .camera, purpose: .assert, context: [], expiry: House.opening))
        for _ in 0..<100 {
            try attempts.count(challenge, now: House.opening)
            attempts.forget(challenge)
        }
        for _ in 0..<ChallengeAttempts.limit { try attempts.count(challenge, now: House.opening) }
        #expect(throws: Rejection(.challengeAttemptsExceeded, "")) { try attempts.count(challenge, now: House.opening) }
    }
}
