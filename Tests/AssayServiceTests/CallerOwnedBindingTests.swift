import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Testing

@Suite("Caller-owned binding")
struct CallerOwnedBindingTests {
    private let hash = [UInt8](repeating: 0xAB, count: 20)

    private func harness(spendFor milliseconds: Int64? = nil) async throws -> ServiceHarness {
        let binding = BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: milliseconds))
        return try await ServiceHarness([.testing(.camera, binding: binding), .testing(.notes)])
    }

    private func request(_ purpose: Purpose, _ evidence: Evidence, app: AppID = .camera) -> VerificationRequest {
        VerificationRequest(app: app, purpose: purpose, challenge: [], evidence: [evidence], binding: .callerOwned(hash))
    }

    @Test("is accepted for an assertion, whose counter keeps it from being used twice")
    func assertion() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        let request = request(.assert, try handset.assertion(over: hash))
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted && verdict.bound.mode == .callerOwned)
        #expect(Array(verdict.bound.clientDataHash) == hash && verdict.bound.payloadSha256.isEmpty)
        #expect(verdict.findings.first?.check == "challenge" && verdict.findings.first?.outcome == .skipped)
        #expect(verdict.findings.first?.code == "caller_owned")
        #expect(try await harness.verify(request).rejection == .counterNotIncreasing)
    }

    @Test("is refused for evidence without a counter where the app does not say for how long to spend it")
    func attestationWithoutSpending() async throws {
        let harness = try await harness()
        let verdict = try await harness.verify(request(.register, try Handset().attestation(over: hash)))
        #expect(verdict.rejection == .bindingNotAllowed && verdict.check == "binding")
    }

    @Test("spends an attestation by its digest for the configured time")
    func attestation() async throws {
        let harness = try await harness(spendFor: 60_000)
        let request = request(.register, try Handset().attestation(over: hash))
        #expect(try await harness.verify(request).isAccepted)
        #expect(try await harness.verify(request).rejection == .challengeReused)
        harness.clock.advance(milliseconds: 60_001)
        try await harness.ledger.purge(now: harness.clock.now())
        #expect(try await harness.verify(request).rejection == .keyAlreadyRegistered)
    }

    @Test("spends an attestation however it is written: a member that nothing signs makes no other use of it")
    func respeltAttestation() async throws {
        let harness = try await harness(spendFor: 60_000)
        let evidence = try Handset().attestation(over: hash)
        let verdict = try await harness.verify(request(.register, evidence))
        #expect(verdict.isAccepted)
        let device = try #require(DeviceID(bytes: Array(verdict.deviceID)))
        _ = try await harness.ledger.forget(device)
        // A map of four members, the last of which is "x": 1.
        let respelt = [0xA4] + evidence.body.dropFirst() + [0x61, 0x78, 0x01]
        let again = Evidence(format: evidence.format, keyID: evidence.keyID, body: respelt)
        #expect(try await harness.verify(request(.register, again)).rejection == .challengeReused)
        harness.clock.advance(milliseconds: 60_001)
        try await harness.ledger.purge(now: harness.clock.now())
        #expect(try await harness.verify(request(.register, again)).isAccepted, "it is genuine all the same")
    }

    @Test("is refused where the evidence was made over another hash")
    func otherHash() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        let verdict = try await harness.verify(request(.assert, try handset.assertion(over: hash + [0])))
        #expect(verdict.rejection == .badSignature)
    }

    @Test("is refused by an app that does not allow it")
    func notAllowed() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol(.notes)
        let verdict = try await harness.verify(request(.assert, try handset.assertion(over: hash), app: .notes))
        #expect(verdict.rejection == .bindingNotAllowed && verdict.retry == .contactOperator)
    }

    @Test("comes without a challenge: one beside it is the caller's mistake")
    func withChallenge() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        var request = request(.assert, try handset.assertion(over: hash))
        request.challenge = try await harness.challenge(.assert)
        let error = try await harness.failure(request)
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("challenge ") == true)
    }

    @Test("is never allowed for what leads to a certificate", arguments: [Purpose.provision, .renew])
    func certificates(_ purpose: Purpose) async throws {
        let harness = try await harness(spendFor: 60_000)
        var (handset, _) = try await harness.enrol()
        let request = request(purpose, try handset.assertion(over: hash))
        let answer = try #require(await harness.pipeline.judge([harness.admitted(request)]).first)
        #expect(answer.rejection == .bindingNotAllowed)
    }
}
