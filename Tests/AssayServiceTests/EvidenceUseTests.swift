import AssayAPI
import AssayCore
import AssayService
import AssaySimulator
import AssayTesting
import DeviceCheck
import PlayIntegrity
import Synchronization
import Testing

/// Evidence that can be used once only as long as its use is remembered, and the clock moved to where it would be forgotten.
@Suite("Uses of evidence")
struct EvidenceUseTests {
    private static let day: Int64 = 86_400_000
    private static let package = "com.example.shop"
    private static let signer = [UInt8](repeating: 0xAB, count: 32)
    private let console = PlayConsole(seed: "uses")
    private let hash = [UInt8](repeating: 0xCD, count: 32)

    // MARK: Parts

    private func play(
        _ spendFor: Int64, maxAge: Int64 = 300_000, decoding: PlayDecoding = .local, vendor: (any AnswerSource)? = nil
    ) async throws -> ServiceHarness {
        let keys = try #require(
            PlayKeySet(decryptionKey: console.decryptionKey, verificationKey: console.verificationKey))
        let verifier = PlayIntegrityVerifier(
            identity: PlayIntegrityIdentity(packages: [Self.package], signers: [Self.signer]), keys: [keys],
            decoding: decoding, policy: PlayIntegrityPolicy(maxAgeMilliseconds: maxAge))
        return try await ServiceHarness(
            [.camera, .notes].map {
                AppProfile(
                    id: $0, verifiers: [verifier], answerSources: vendor.map { [.playIntegrity: $0] } ?? [:],
                    binding: BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: spendFor)), policyDigest: [1])
            })
    }

    private func payload(at time: Timestamp) -> JSONDraft {
        .playPayload(package: Self.package, signer: Self.signer, requestHash: hash, at: time)
    }

    private func request(
        _ token: String, app: AppID = .camera, hash: [UInt8]? = nil
    ) -> VerificationRequest {
        VerificationRequest(
            app: app, purpose: .assert, challenge: [],
            evidence: [Evidence(format: .playIntegrity, keyID: [], body: Array(token.utf8))],
            binding: .callerOwned(hash ?? self.hash))
    }

    private func deviceCheck(_ rule: Int64?, own: Int64, _ apple: Apple) async throws -> ServiceHarness {
        try await ServiceHarness([
            AppProfile(
                id: .camera, verifiers: [DeviceCheckVerifier(policy: DeviceCheckPolicy(spendsTokenFor: own))],
                answerSources: [.deviceCheck: apple], challenges: ChallengeRule(timeToLive: 3_600_000),
                binding: BindingRule(callerOwned: rule.map { CallerOwnedRule(spendEvidenceFor: $0) }), policyDigest: [1])
        ])
    }

    private var deviceToken: Evidence { Evidence(format: .deviceCheck, keyID: [], body: [1, 2, 3]) }

    private var vouched: VerificationRequest {
        VerificationRequest(
            app: .camera, purpose: .assert, challenge: [], evidence: [deviceToken], binding: .callerOwned(hash))
    }

    /// What comes of a request once the clock has moved on, and the ledger forgotten what it may.
    private func outcome(
        _ request: VerificationRequest, after milliseconds: Int64, in harness: ServiceHarness
    ) async throws -> ReasonCode? {
        harness.clock.advance(milliseconds: milliseconds)
        try await harness.ledger.purge(now: harness.clock.now())
        return try await harness.verify(request).rejection
    }

    // MARK: Tests

    @Test("are remembered for as long as a rule of months says, and no longer", arguments: [50, 200, 366] as [Int64])
    func months(_ days: Int64) async throws {
        let harness = try await deviceCheck(days * Self.day, own: Self.day, Apple(forgets: .max))
        #expect(try await harness.verify(vouched).isAccepted)
        #expect(try await outcome(vouched, after: days * Self.day - 1, in: harness) == .challengeReused)
        #expect(try await outcome(vouched, after: 1, in: harness) == nil)
    }

    @Test("of a Play Integrity token are remembered until it is too old, whatever the rule says")
    func playAge() async throws {
        let harness = try await play(1000, maxAge: 3_600_000)
        // By Google's clock, which is a minute ahead.
        let token = try console.token(payload(at: ServiceHarness.opening.adding(milliseconds: 60_000)))
        #expect(try await harness.verify(request(token)).isAccepted)
        for step in [1001, 600_000, 3_660_000 - 601_001 - 1, 1] as [Int64] {
            #expect(try await outcome(request(token), after: step, in: harness) == .challengeReused)
        }
        // As old as it may be, to the millisecond; then too old.
        #expect(try await outcome(request(token), after: 1, in: harness) == .staleTimestamp)
    }

    @Test("of Play Integrity tokens are told by what is vouched for: another token for the same hash is no other use")
    func playHash() async throws {
        let harness = try await play(3_600_000)
        let tokens = try (0..<3).map { _ in try console.token(payload(at: ServiceHarness.opening)) }
        #expect(Set(tokens).count == 3)
        #expect(try await harness.verify(request(tokens[0])).isAccepted)
        for token in tokens { #expect(try await harness.verify(request(token)).rejection == .challengeReused) }
        let classic = try console.token(
            .playPayload(package: Self.package, signer: Self.signer, nonce: hash, at: ServiceHarness.opening))
        #expect(try await harness.verify(request(classic)).rejection == .challengeReused)
        #expect(try await harness.verify(request(tokens[1], app: .notes)).isAccepted, "each app vouches for itself")
        let other = [UInt8](repeating: 1, count: 32)
        let next = try console.token(
            .playPayload(package: Self.package, signer: Self.signer, requestHash: other, at: ServiceHarness.opening))
        #expect(try await harness.verify(request(next, hash: other)).isAccepted)
    }

    @Test("of a token that Google decodes are not accepted again by the answer that was kept")
    func googleAnswer() async throws {
        let google = Google(PlayConsole.decoded(payload(at: ServiceHarness.opening)))
        let harness = try await play(1000, decoding: .google, vendor: google)
        let token = try PlayConsole(seed: "Google's own").token(payload(at: ServiceHarness.opening))
        #expect(try await harness.verify(request(token)).isAccepted)
        for step in [1001, 100_000, 198_998] as [Int64] {
            #expect(try await outcome(request(token), after: step, in: harness) == .challengeReused)
        }
        for step in [2, 60_000, 240_000] as [Int64] {
            #expect(try await outcome(request(token), after: step, in: harness) == .staleTimestamp)
        }
    }

    @Test("Google is asked about nothing that has not the form of a token")
    func junk() async throws {
        let google = Google(PlayConsole.decoded(payload(at: ServiceHarness.opening)))
        let harness = try await play(1000, decoding: .google, vendor: google)
        let token = try PlayConsole(seed: "Google's own").token(payload(at: ServiceHarness.opening))
        for junk in ["junk", token + "=", token + ".", "x" + token, token + ".AAAA", "a.b.c.d.e", "...."] {
            let verdict = try await harness.verify(request(junk))
            #expect(verdict.rejection == .malformedToken && verdict.check == "evidence", "\(junk.suffix(8))")
        }
        #expect(google.asked == 0)
        // Nor about a token beside another piece that is refused without looking further.
        var beside = request(token)
        beside.evidence.append(Evidence(format: .deviceCheck, keyID: [], body: [1]))
        #expect(try await harness.verify(beside).rejection == .formatNotAccepted)
        #expect(google.asked == 0)
    }

    @Test("of a DeviceCheck token are remembered as long as its own section says, whatever the rule says")
    func deviceCheckMemory() async throws {
        let apple = Apple(forgets: .max)
        let harness = try await deviceCheck(1000, own: Self.day, apple)
        #expect(try await harness.verify(vouched).isAccepted)
        for step in [1001, 3_600_000, Self.day - 3_601_002] as [Int64] {
            #expect(try await outcome(vouched, after: step, in: harness) == .challengeReused)
        }
        let longer = try await deviceCheck(7 * Self.day, own: Self.day, apple)
        #expect(try await longer.verify(vouched).isAccepted)
        #expect(try await outcome(vouched, after: 7 * Self.day - 1, in: longer) == .challengeReused)
    }

    @Test(
        "of a DeviceCheck token are not accepted again by an answer that is older than the memory of them",
        arguments: [false, true])
    func deviceCheckAnswer(callerOwned: Bool) async throws {
        // Apple takes a token for a minute; its use is remembered for ten, and challenges are good for an hour.
        let apple = Apple(forgets: 60_000)
        let harness = try await deviceCheck(1000, own: 600_000, apple)
        apple.clock = harness.clock
        func request() async throws -> VerificationRequest {
            if callerOwned { return vouched }
            return VerificationRequest(
                app: .camera, purpose: .assert, challenge: try await harness.challenge(.assert), evidence: [deviceToken])
        }
        #expect(try await harness.verify(try await request()).isAccepted)
        #expect(try await outcome(try await request(), after: 30_000, in: harness) == .challengeReused)
        #expect(apple.asked == 1)
        for step in [569_999, 1, 1, 60_000, 600_000, 1_800_000] as [Int64] {
            #expect(try await outcome(try await request(), after: step, in: harness) == .vendorRefused)
        }
    }
}

/// Answers about every token the same, and counts.
private final class Google: AnswerSource {
    private let answer: [UInt8]
    private let count = Mutex(0)
    var asked: Int { count.withLock { $0 } }

    init(_ answer: [UInt8]) { self.answer = answer }

    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer {
        count.withLock { $0 += 1 }
        return .answered(answer)
    }
}

/// Takes every token until it is too old.
private final class Apple: AnswerSource {
    private let state = Mutex<(asked: Int, clock: FixedClock?)>((0, nil))
    private let life: Int64
    var asked: Int { state.withLock { $0.asked } }
    var clock: FixedClock? {
        get { state.withLock { $0.clock } }
        set { state.withLock { $0.clock = newValue } }
    }

    init(forgets life: Int64) { self.life = life }

    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer {
        let now = state.withLock { state in
            state.asked += 1
            return state.clock?.now() ?? ServiceHarness.opening
        }
        guard now.milliseconds(since: ServiceHarness.opening) < life else {
            return .refused(Rejection(.vendorRefused, "too old"))
        }
        return .stated(Claims([.init(name: "bits_set", value: .boolean(false))]))
    }
}
