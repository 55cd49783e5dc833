import AssayCore
import AssayResults
import AssaySigning
import AssayTesting
import Synchronization
import Testing

@testable import AssayService

/// Each problem by what leads to it, where the verdict is given already.
@Suite("Results that are not signed")
struct ResultProblemTests {
    private let issuers = ResultIssuers()
    private let clock = FixedClock(ServiceHarness.opening)
    private let counters = ResultCounters()
    private let device = DeviceID.random()

    private func ring(_ kinds: [ResultIssuer] = [ResultIssuers.devices, ResultIssuers.simulated]) throws -> ResultKeyRing {
        let keys = try issuers.keys(of: kinds)
        let ring = ResultKeyRing()
        ring.learn(
            own: keys.own,
            published: keys.own.map {
                PublishedResultKey($0.published, publishedAt: ServiceHarness.opening, signsFrom: ServiceHarness.opening)
            }, keys.rule)
        return ring
    }

    private func signer(_ ring: ResultKeyRing, places: (any ResultStatusPlaces)? = nil) -> ResultSigner {
        ResultSigner(keys: ring, places: places, counters: counters, clock: clock)
    }

    /// A phone's key that signs any message: that of an Android device.
    private func facts(_ change: (inout ResultFacts) -> Void = { _ in }) -> ResultFacts {
        var facts = ResultFacts(
            app: .camera, purpose: .assert, formats: [.keySignature], assurance: .hardware, device: device,
            deviceKey: issuers.signer.publicKey, payloadHash: nil, challenge: [UInt8](repeating: 1, count: 54),
            policyDigest: [UInt8](repeating: 2, count: 32), requestID: [UInt8](repeating: 3, count: 16),
            decidedAt: ServiceHarness.opening, simulated: false, confidence: nil, limits: [.relay], json: { Array("{}".utf8) },
            message: { [8, 1] })
        change(&facts)
        return facts
    }

    private func outcome(
        _ shape: ResultShape, of facts: ResultFacts, by signer: ResultSigner,
        _ composer: ResultComposer = ResultIssuers.composer()
    ) async -> ResultProblem? {
        let request = ResultRequest(shape: shape, audience: ResultIssuers.audience)
        let result = await signer.sign(facts, for: [request], by: composer)[0]
        #expect(result.shape == shape && result.audience == request.audience)
        guard case .refused(let problem) = result.outcome else { return nil }
        #expect(counters.problems(problem) > 0)
        return problem
    }

    @Test(
        "There is none where everything is as it has to be",
        arguments: [ResultShape.earJWT, .earCWT, .session, .clientAttestation, .plainJWS, .plainCOSE])
    func none(_ shape: ResultShape) async throws {
        #expect(await outcome(shape, of: facts(), by: signer(try ring())) == nil)
        #expect(counters.signed(shape) == 1 && issuers.signer.signatures == 1)
    }

    @Test("result_of_simulated_device: a simulated device gets nothing from the issuer of real ones")
    func simulated() async throws {
        let simulated = facts { $0.simulated = true }
        #expect(await outcome(.earJWT, of: simulated, by: signer(try ring([ResultIssuers.devices]))) == .simulated)
        #expect(issuers.signer.signatures == 0)
        #expect(await outcome(.earJWT, of: simulated, by: signer(try ring())) == nil)
        #expect(issuers.signer.signatures == 0 && issuers.simulatedSigner.signatures == 1)
    }

    @Test("result_key_unavailable: no key signs, or the one that does cannot sign this shape")
    func keyUnavailable() async throws {
        #expect(await outcome(.earJWT, of: facts(), by: signer(ResultKeyRing())) == .keyUnavailable)
        #expect(await outcome(.keyAttestation, of: facts(), by: signer(try ring())) == .keyUnavailable)
        let signer = signer(try ring())
        clock.advance(milliseconds: ResultKeyRule().lifetime)
        #expect(await outcome(.earJWT, of: facts { $0.decidedAt = clock.now() }, by: signer) == .keyUnavailable)
    }

    @Test("result_assurance_too_low: a session token wants the assurance of the app's rule")
    func assurance() async throws {
        let signer = signer(try ring())
        #expect(await outcome(.session, of: facts { $0.assurance = .platform }, by: signer) == .assurance)
        let lenient = ResultIssuers.composer { $0.session.minimumAssurance = .platform }
        #expect(await outcome(.session, of: facts { $0.assurance = .platform }, by: signer, lenient) == nil)
        #expect(await outcome(.earJWT, of: facts { $0.assurance = .software }, by: signer) == nil, "an EAR says the assurance")
    }

    @Test("result_without_device_key: a token that binds a key wants one, and one that can sign messages")
    func noKey() async throws {
        let signer = signer(try ring())
        #expect(await outcome(.session, of: facts { $0.deviceKey = nil }, by: signer) == .noKey)
        #expect(await outcome(.clientAttestation, of: facts { $0.formats = [.appAttestAssertion] }, by: signer) == .noKey)
        #expect(await outcome(.earJWT, of: facts { ($0.device, $0.deviceKey) = (nil, nil) }, by: signer) == nil)
    }

    @Test("result_not_allowed: a reload took the shape, the audience or the client id away since the request was taken")
    func notAllowed() async throws {
        let signer = signer(try ring())
        #expect(await outcome(.session, of: facts(), by: signer, ResultIssuers.composer([.earJWT])) == .notAllowed)
        let others = ResultIssuers.composer { $0.audiences = [ResultIssuers.other] }
        #expect(await outcome(.earJWT, of: facts(), by: signer, others) == .notAllowed)
        #expect(
            await outcome(.clientAttestation, of: facts(), by: signer, ResultIssuers.composer { $0.clientID = nil })
                == .notAllowed)
    }

    @Test("result_of_old_verdict: the life of a result begins with its verdict")
    func tooOld() async throws {
        let signer = signer(try ring())
        clock.advance(milliseconds: 299_999)
        #expect(await outcome(.earJWT, of: facts(), by: signer) == nil)
        clock.advance(milliseconds: 1)
        #expect(await outcome(.earJWT, of: facts(), by: signer) == .tooOld)
        #expect(await outcome(.session, of: facts(), by: signer) == nil)
    }

    @Test("result_of_blocked_device, and every other, can be said of all results at once")
    func refusedTogether() async throws {
        let requests = [ResultShape.earJWT, .session].map { ResultRequest(shape: $0, audience: ResultIssuers.audience) }
        let results = signer(try ring()).refuse(requests, .deviceBlocked)
        #expect(results.map(\.outcome) == [.refused(.deviceBlocked), .refused(.deviceBlocked)])
        #expect(counters.problems(.deviceBlocked) == 2)
    }

    // MARK: Session tokens of a device

    @Test(
        "result_too_many: a device has at most so many session tokens that have not ended; other devices and shapes do not count"
    )
    func tooMany() async throws {
        let signer = signer(try ring())
        let composer = ResultIssuers.composer { $0.session.perDevice = 2 }
        for _ in 0..<2 { #expect(await outcome(.session, of: facts(), by: signer, composer) == nil) }
        #expect(await outcome(.session, of: facts(), by: signer, composer) == .tooMany)
        #expect(await outcome(.earJWT, of: facts(), by: signer, composer) == nil)
        #expect(await outcome(.session, of: facts { $0.device = .random() }, by: signer, composer) == nil)
        clock.advance(milliseconds: 3_600_000)
        #expect(await outcome(.session, of: facts { $0.decidedAt = clock.now() }, by: signer, composer) == nil)
        #expect(issuers.signer.signatures == 5, "what is refused is not signed")
    }

    @Test("A session token that could not be signed does not count")
    func failedSession() async throws {
        let signer = signer(try ring())
        let composer = ResultIssuers.composer { $0.session.perDevice = 1 }
        issuers.signer.fail(with: SigningError("the token is gone"))
        for _ in 0..<3 { #expect(await outcome(.session, of: facts(), by: signer, composer) == .unavailable) }
        issuers.signer.fail(with: nil)
        #expect(await outcome(.session, of: facts(), by: signer, composer) == nil)
        #expect(await outcome(.session, of: facts(), by: signer, composer) == .tooMany)
    }

    @Test("Counts of devices whose tokens have ended are left out")
    func purge() {
        let counts = SessionTokenCounts()
        let now = ServiceHarness.opening
        for _ in 0..<100 {
            #expect(counts.take(.random(), until: now.adding(milliseconds: 1000), atMost: 1, at: now))
        }
        #expect(counts.count == 100)
        let later = now.adding(milliseconds: 60_000)
        #expect(counts.take(.random(), until: later.adding(milliseconds: 1000), atMost: 1, at: later))
        #expect(counts.count == 1)
    }

    // MARK: Status

    private final class Places: ResultStatusPlaces {
        let failure: LedgerError?
        private let count = Mutex(0)
        init(failing failure: LedgerError? = nil) { self.failure = failure }

        /// How often a place was asked for.
        var asked: Int { count.withLock { $0 } }

        func statusReference(
            of device: DeviceID, for audience: String, from issuer: ResultIssuer, until end: Timestamp
        ) async throws(LedgerError) -> ResultStatusReference {
            count.withLock { $0 += 1 }
            if let failure { throw failure }
            #expect(audience == ResultIssuers.audience && issuer == ResultIssuers.devices && end > ServiceHarness.opening)
            return ResultStatusReference(uri: issuer.address + "/v1/status/0", index: 7)
        }
    }

    private func names(status facts: ResultFacts, _ shape: ResultShape, _ composer: ResultComposer) async throws -> Bool {
        let request = ResultRequest(shape: shape, audience: ResultIssuers.audience)
        let result = await signer(try ring(), places: Places()).sign(facts, for: [request], by: composer)[0]
        guard case .signed(let token, _, _) = result.outcome else { return false }
        let claims = String(decoding: token, as: UTF8.self).split(separator: ".").dropFirst().first
        let text = claims.flatMap { Base64.url.decode($0) }.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.contains(#""status_list":{"idx":7,"uri":"https://assay.example.com/v1/status/0"}"#)
    }

    @Test("Session tokens name a place in a status list, and an EAR if the app says so")
    func status() async throws {
        #expect(try await names(status: facts(), .session, ResultIssuers.composer()))
        #expect(try await !names(status: facts(), .earJWT, ResultIssuers.composer()))
        #expect(try await names(status: facts(), .earJWT, ResultIssuers.composer { $0.status = true }))
        #expect(try await !names(status: facts(), .plainJWS, ResultIssuers.composer { $0.status = true }))
    }

    @Test("A result that is refused takes no place in a status list, and one without a place does not count as a session")
    func nothingTaken() async throws {
        let places = Places()
        let one = signer(try ring(), places: places)
        let composer = ResultIssuers.composer { $0.session.perDevice = 1 }
        #expect(await outcome(.session, of: facts { $0.assurance = .platform }, by: one, composer) == .assurance)
        #expect(await outcome(.session, of: facts { $0.deviceKey = nil }, by: one, composer) == .noKey)
        #expect(await outcome(.session, of: facts(), by: one, ResultIssuers.composer([.earJWT])) == .notAllowed)
        #expect(await outcome(.keyAttestation, of: facts(), by: one, composer) == .keyUnavailable)
        clock.advance(milliseconds: 3_600_000)
        #expect(await outcome(.session, of: facts(), by: one, composer) == .tooOld)
        let recent = facts { $0.decidedAt = clock.now() }
        #expect(places.asked == 0)
        #expect(await outcome(.session, of: recent, by: one, composer) == nil)
        #expect(await outcome(.session, of: recent, by: one, composer) == .tooMany)
        #expect(places.asked == 1, "one session too many asks for no place")

        let sessions = SessionTokenCounts()
        func counting(_ places: Places) throws -> ResultSigner {
            ResultSigner(keys: try ring(), places: places, sessions: sessions, counters: counters, clock: clock)
        }
        let failing = try counting(Places(failing: .unavailable("no disk")))
        for _ in 0..<2 { #expect(await outcome(.session, of: recent, by: failing, composer) == .unavailable) }
        #expect(await outcome(.session, of: recent, by: try counting(places), composer) == nil)
    }

    @Test("results_unavailable: the ledger gives out no place, or the key does not sign")
    func unavailable() async throws {
        let failing = signer(try ring(), places: Places(failing: .unavailable("no disk")))
        #expect(await outcome(.session, of: facts(), by: failing) == .unavailable)
        #expect(await outcome(.plainJWS, of: facts(), by: failing) == nil)
        issuers.signer.fail(with: SigningError("the token is gone"))
        #expect(await outcome(.plainJWS, of: facts(), by: failing) == .unavailable)
    }
}
