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
        let harness = try await ServiceHarness()
        let challenge = try await harness.challenge(.register, app: .notes)
        #expect(try await harness.verify(try Handset(app: .camera).registration(challenge)).rejection == .challengeInvalid)
        #expect(try await harness.verify(try Handset(app: .notes).registration(challenge)).isAccepted)
    }

    @Test("refuses a challenge in another context, or in none, as challenge_invalid")
    func otherContext() async throws {
        let harness = try await ServiceHarness()
        let challenge = try await harness.challenge(.register, context: [1, 2, 3])
        var request = try Handset().registration(challenge)
        for context in [[], [1, 2], [1, 2, 4], [1, 2, 3, 0]] as [[UInt8]] {
            request.context = context
            #expect(try await harness.verify(request).rejection == .challengeInvalid)
        }
        request.context = [1, 2, 3]
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("refuses a challenge of which any byte was changed", arguments: 0..<Challenge.length)
    func tampered(_ index: Int) async throws {
        let harness = try await ServiceHarness()
        var challenge = try await harness.challenge(.register)
        challenge[index] ^= 0x01
        #expect(try await harness.verify(try Handset().registration(challenge)).rejection == .challengeInvalid)
        #expect(harness.ledger.asked(.commit) == 0)
    }

    @Test("refuses a challenge of any other length", arguments: [0, 1, 53, 55, 1000])
    func length(_ count: Int) async throws {
        let harness = try await ServiceHarness()
        let issued = try await harness.challenge(.register)
        let challenge = Array((issued + [UInt8](repeating: 0, count: 1000)).prefix(count))
        let verdict = try await harness.verify(try Handset().registration(challenge))
        #expect(verdict.rejection == .challengeInvalid && verdict.check == "challenge")
    }

    @Test("refuses a challenge under an unknown key id, having looked for it once")
    func unknownKey() async throws {
        let harness = try await ServiceHarness()
        let forged = ChallengeKey(id: 0xFFFF_FFFF, secret: [UInt8](repeating: 1, count: 32), createdAt: ServiceHarness.opening)
            .issue(app: .camera, purpose: .register, context: [], expiry: ServiceHarness.opening.adding(milliseconds: 1000))
        let before = harness.ledger.asked(.secrets)
        for _ in 0..<20 {
            #expect(try await harness.verify(try Handset().registration(forged)).rejection == .challengeInvalid)
        }
        #expect(harness.ledger.asked(.secrets) == before + 1, "invented key ids do not hammer the ledger")
    }

    @Test("refuses a challenge under a known key id and another secret")
    func otherSecret() async throws {
        let harness = try await ServiceHarness()
        let id = try #require(harness.keys.keyring.keys.first).id
        let forged = ChallengeKey(id: id, secret: [UInt8](repeating: 1, count: 32), createdAt: ServiceHarness.opening)
            .issue(app: .camera, purpose: .register, context: [], expiry: ServiceHarness.opening.adding(milliseconds: 1000))
        #expect(try await harness.verify(try Handset().registration(forged)).rejection == .challengeInvalid)
    }

    @Test("tells a challenge of another purpose from an invalid one", arguments: [Purpose.assert, .provision, .renew])
    func wrongPurpose(_ purpose: Purpose) async throws {
        let harness = try await ServiceHarness()
        let verdict = try await harness.verify(try Handset().registration(try await harness.challenge(purpose)))
        #expect(verdict.rejection == .challengeWrongPurpose)
    }

    @Test("refuses a challenge from its expiry on")
    func expired() async throws {
        let harness = try await ServiceHarness()
        let challenge = try await harness.challenge(.register, milliseconds: 1000)
        let request = try Handset().registration(challenge)
        harness.clock.advance(milliseconds: 1000)
        #expect(try await harness.verify(request).rejection == .challengeExpired)
        harness.clock.advance(milliseconds: -1)
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("refuses a challenge that was accepted, for any device")
    func reused() async throws {
        let harness = try await ServiceHarness()
        var (first, _) = try await harness.enrol()
        var (second, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        #expect(try await harness.verify(try first.assertion(challenge)).isAccepted)
        let again = try await harness.verify(try first.assertion(challenge))
        #expect(again.rejection == .challengeReused && again.check == "commit")
        #expect(again.findings.last?.code == "challenge_reused")
        #expect(try await harness.verify(try second.assertion(challenge)).rejection == .challengeReused)
    }

    @Test("does not mistake the purpose that the device signed")
    func signedPurpose() async throws {
        let harness = try await ServiceHarness()
        let handset = Handset()
        let challenge = try await harness.challenge(.register)
        var request = try handset.registration(challenge)
        let other = try #require(ClientData(purpose: .assert, challenge: challenge))
        request.evidence = [try handset.attestation(over: other.hash)]
        #expect(try await harness.verify(request).rejection == .nonceMismatch)
    }
}

@Suite("Challenge attempts")
struct ChallengeAttemptsTests {
    @Test("are five, also for good evidence after five bad ones")
    func limit() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        let stranger = TestSigningKey(.p256)
        for _ in 0..<5 {
            let verdict = try await harness.verify(try handset.assertion(challenge, changes: .genuine.signer(stranger)))
            #expect(verdict.rejection == .badSignature)
        }
        let verdict = try await harness.verify(try handset.assertion(challenge))
        #expect(verdict.rejection == .challengeAttemptsExceeded && verdict.check == "challenge")
        #expect(try await harness.assert(&handset).isAccepted, "another challenge is another count")
    }

    @Test("leave the fifth to good evidence")
    func fifth() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        for _ in 0..<4 {
            _ = try await harness.verify(try handset.assertion(challenge, changes: .genuine.signer(TestSigningKey(.p256))))
        }
        #expect(try await harness.verify(try handset.assertion(challenge)).isAccepted)
    }

    @Test("are not counted for challenges that are not authentic")
    func unauthentic() async throws {
        let harness = try await ServiceHarness()
        let challenge = try await harness.challenge(.register, context: [1])
        var request = try Handset().registration(challenge)
        for _ in 0..<20 { #expect(try await harness.verify(request).rejection == .challengeInvalid) }
        request.context = [1]
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("are remembered over an hour of other challenges")
    func generations() throws {
        let attempts = ChallengeAttempts()
        let key = ChallengeKey(id: 1, secret: [UInt8](repeating: 1, count: 32), createdAt: ServiceHarness.opening)
        func challenge() throws -> Challenge {
            try Challenge(
                parsing: key.issue(
                    app: .camera, purpose: .assert, context: [], expiry: ServiceHarness.opening.adding(milliseconds: 1)))
        }
        let tried = try challenge()
        for _ in 0..<ChallengeAttempts.limit { try attempts.count(tried, now: ServiceHarness.opening) }
        // The next generation begins.
        let later = ServiceHarness.opening.adding(milliseconds: Int64(ChallengeRule.longest) + 1)
        try attempts.count(try challenge(), now: later)
        #expect(throws: Rejection(.challengeAttemptsExceeded, "")) { try attempts.count(tried, now: later) }
    }

    @Test("that were taken back are not counted")
    func forgotten() throws {
        let attempts = ChallengeAttempts()
        let key = ChallengeKey(id: 1, secret: [UInt8](repeating: 1, count: 32), createdAt: ServiceHarness.opening)
        let challenge = try Challenge(
            parsing: key.issue(app: .camera, purpose: .assert, context: [], expiry: ServiceHarness.opening))
        for _ in 0..<100 {
            try attempts.count(challenge, now: ServiceHarness.opening)
            attempts.forget(challenge)
        }
        for _ in 0..<ChallengeAttempts.limit { try attempts.count(challenge, now: ServiceHarness.opening) }
        #expect(throws: Rejection(.challengeAttemptsExceeded, "")) {
            try attempts.count(challenge, now: ServiceHarness.opening)
        }
    }
}
