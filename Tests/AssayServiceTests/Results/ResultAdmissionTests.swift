import AssayAPI
import AssayCore
import AssayRPC
import AssayResults
import AssayTesting
import SwiftProtobuf
import Testing

@testable import AssayService

/// What cannot come to a result is refused before anything is judged: the ledger is asked for no commit, and the challenge stays good.
@Suite("Requests for results")
struct ResultAdmissionTests {
    private let issuers = ResultIssuers()

    /// The refusal of a registration, and that nothing came of it.
    private func refusal(_ harness: ServiceHarness, _ request: VerificationRequest) async throws -> RPCError? {
        let error = try await harness.failure(request)
        let counts = harness.counters.counts
        #expect(
            harness.ledger.asked(.commit) == 0 && counts.accepted == 0 && counts.rejected.isEmpty && counts.unavailable == 0)
        #expect(issuers.signer.signatures == 0 && issuers.simulatedSigner.signatures == 0)
        var without = request
        without.results = []
        #expect(try await harness.verify(without).isAccepted, "the challenge was not spent")
        return error
    }

    @Test("of an app without results are refused")
    func notConfigured() async throws {
        let harness = try await ServiceHarness([.testing(.camera)], resultKeys: try issuers.keys())
        let error = try await refusal(harness, try await harness.registration(asking: [.earJWT]))
        #expect(error?.code == .failedPrecondition && error?.reason == "results_not_configured")
        #expect(error?.message == #"the app camera has no section "results": no verdict on it is signed"#)
    }

    @Test("for a shape that the app does not allow are refused, and the error names the place")
    func shape() async throws {
        let harness = try await ServiceHarness.signing(issuers, by: ResultIssuers.composer([.earJWT]))
        let error = try await refusal(harness, try await harness.registration(asking: [.earJWT, .session]))
        #expect(error?.code == .permissionDenied && error?.reason == "result_shape_not_allowed")
        #expect(
            error?.message == #"results[1].shape is session, which is not among "results.shapes" of the app camera"#)
    }

    @Test("for an audience that the app does not list are refused, and the error does not repeat it")
    func audience() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let error = try await refusal(harness, try await harness.registration(asking: [.earJWT], for: "https://else.example"))
        #expect(error?.code == .permissionDenied && error?.reason == "result_audience_not_allowed")
        #expect(error?.message == #"results[0].audience is not among "results.audiences" of the app camera"#)
        // Audiences are compared byte by byte.
        let upper = try await harness.failure(
            try await harness.registration(asking: [.earJWT], for: ResultIssuers.audience.uppercased()))
        #expect(upper?.reason == "result_audience_not_allowed")
    }

    @Test("are refused once the key has ended and no other follows, and taken again once one does")
    func endedKey() async throws {
        var rule = ResultKeyRule()
        (rule.lifetime, rule.publishAhead) = (60_000, 30_000)
        let harness = try await ServiceHarness.signing(issuers, rule)
        harness.clock.advance(milliseconds: rule.lifetime)
        let error = try await refusal(harness, try await harness.registration(asking: [.earJWT]))
        #expect(error?.code == .unavailable && error?.reason == "result_key_unavailable")
        #expect(error?.retryAfterMilliseconds == 60_000)

        let next = ResultIssuers()
        harness.resultKeys.use(try next.keys(rule))
        try await harness.resultKeys.refresh(by: .signal)
        _ = try await harness.call(API.rotateResultKey, .with { ($0.now, $0.simulated) = (true, true) })
        let verdict = try await harness.verify(try await harness.registration(asking: [.earJWT]))
        #expect(try await ResultIssuers.read(verdict.results[0], from: harness).isSimulated)
    }

    @Test("for a shape whose key has no certificate are refused")
    func withoutCertificate() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let error = try await refusal(harness, try await harness.registration(asking: [.walletInstance]))
        #expect(error?.reason == "result_key_unavailable")
    }

    @Test("of an app that accepts no simulated device need a key of the issuer of real ones")
    func issuerOfSimulatedDevicesAlone() async throws {
        let profile = try AppProfile.testing(.camera, acceptsSimulated: false, results: ResultIssuers.composer())
        let harness = try await ServiceHarness([profile], resultKeys: try issuers.keys(of: [ResultIssuers.simulated]))
        let error = try await harness.failure(try await harness.registration(asking: [.earJWT]))
        #expect(error?.reason == "result_key_unavailable")
    }

    @Test("that break the form of the API are refused by it")
    func form() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let error = try await refusal(harness, try await harness.registration(asking: [.earJWT], nonce: [1, 2, 3]))
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("results[0].nonce") == true)
    }
}
