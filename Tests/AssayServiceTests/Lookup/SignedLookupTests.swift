import AssayAPI
import AssayCertificates
import AssayCore
import AssayRPC
import AssayResults
import AssaySigning
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Signed answers to look-ups")
struct SignedLookupTests {
    private let issuers = ResultIssuers()

    /// - Parameter simulated: whether the phones' root is a test root.
    private func harness(
        simulated: Bool = true, by composer: ResultComposer? = ResultIssuers.composer(),
        ledger: WatchedLedger = WatchedLedger(),
        rates: AppRates = AppRates()
    ) async throws -> ServiceHarness {
        let root = try TrustAnchor(name: "root", pem: Handset.authority.rootPEM, simulated: simulated)
        return try await ServiceHarness(
            [.testing(.camera, anchors: [root], acceptsSimulated: simulated, lookup: LookupRule(), results: composer)],
            ledger: ledger,
            rates: { counters in
                RateLimits(
                    caller: nil, apps: [.camera: rates], buckets: RateBuckets(secret: [3], places: 256) { 0 },
                    counters: counters)
            }, resultKeys: try issuers.keys())
    }

    private func find(
        _ harness: ServiceHarness, _ shapes: [ResultShape] = [.plainJWS, .plainCOSE],
        for audience: String = ResultIssuers.audience,
        nonce: [UInt8] = []
    ) async throws -> Assay_V1_FindVerdictsResponse {
        try await harness.call(
            API.findVerdicts,
            .with {
                ($0.app, $0.payloadSha256) = (AppID.camera.text, Data(LookupTests.hash))
                $0.results = shapes.map { ResultRequest(shape: $0, audience: audience, nonce: nonce).message }
            })
    }

    private func upload(to harness: ServiceHarness) async throws {
        var (handset, _) = try await harness.enrol()
        let request = try handset.assertion(try await harness.challenge(.assert), payload: LookupTests.photo)
        try #require(try await harness.verify(request).isAccepted)
    }

    @Test("What is signed is the answer without its results, as JSON and as protobuf, for its audience, from now on")
    func signed() async throws {
        let harness = try await harness(simulated: false)
        let nonce = SecureRandom.bytes(16)
        for isFound in [false, true] {
            if isFound { try await upload(to: harness) }
            harness.clock.advance(milliseconds: 60_000)
            var answer = try await find(harness, nonce: nonce)
            let results = answer.results
            answer.results = []
            #expect(answer.found == isFound && results.map(\.shape) == [.plainJws, .plainCose])
            for result in results {
                let read = try await ResultIssuers.read(result, of: .lookup, from: harness, simulated: false, nonce: nonce)
                #expect(read.issuedAt == harness.clock.now() && read.expiresAt.unixMilliseconds == result.expiresAtUnixMs)
                if let content = read.content {
                    #expect(try Assay_V1_FindVerdictsResponse(serializedBytes: content) == answer)
                } else {
                    let stated = try #require(read.claims["lookup".utf8])
                    #expect(try Assay_V1_FindVerdictsResponse(jsonUTF8Bytes: Data(stated.text)) == answer)
                }
            }
        }
        #expect(issuers.signer.signatures == 4 && issuers.simulatedSigner.signatures == 0)
        #expect(harness.results.signed(.plainJWS) == 2 && harness.results.signed(.plainCOSE) == 2)
    }

    @Test("An answer never passes for a verdict, nor a verdict for an answer")
    func types() async throws {
        let harness = try await harness()
        try await upload(to: harness)
        for result in try await find(harness).results {
            await #expect(throws: ResultFault.self) { try await ResultIssuers.read(result, from: harness) }
        }
        let verdict = try await harness.verify(try await harness.registration(asking: [.plainJWS, .plainCOSE]))
        for result in verdict.results {
            await #expect(throws: ResultFault.self) { try await ResultIssuers.read(result, of: .lookup, from: harness) }
        }
    }

    @Test("An answer with a simulated device is of the issuer for such alone, and one without a verdict is of the other one")
    func simulated() async throws {
        let harness = try await harness()
        let nothing = try #require(try await find(harness, [.plainJWS]).results.first)
        #expect(try await !ResultIssuers.read(nothing, of: .lookup, from: harness, simulated: false).isSimulated)
        try await upload(to: harness)
        let found = try #require(try await find(harness, [.plainJWS]).results.first)
        #expect(try await ResultIssuers.read(found, of: .lookup, from: harness, simulated: true).isSimulated)
        #expect(issuers.signer.signatures == 1 && issuers.simulatedSigner.signatures == 1)
    }

    @Test("A key that fails costs the signature, and not the answer")
    func problem() async throws {
        let harness = try await harness(simulated: false)
        try await upload(to: harness)
        issuers.signer.fail(with: SigningError("the token is gone"))
        let answer = try await find(harness)
        #expect(answer.found && answer.results.map(\.problem.code) == ["results_unavailable", "results_unavailable"])
        #expect(answer.results.allSatisfy { !$0.problem.sentence.isEmpty && $0.expiresAtUnixMs == 0 && $0.id.isEmpty })
    }

    @Test("What the app does not allow is refused before anything is charged or read")
    func refused() async throws {
        let ledger = WatchedLedger()
        let rates = AppRates(app: RateRule("1/h"))
        let harness = try await harness(by: ResultIssuers.composer([.plainJWS]), ledger: ledger, rates: rates)
        func reason(_ harness: ServiceHarness, _ shapes: [ResultShape], _ audience: String) async throws -> String? {
            do {
                _ = try await find(harness, shapes, for: audience)
                return nil
            } catch let error as RPCError {
                return error.reason
            }
        }
        #expect(try await reason(harness, [.plainCOSE], ResultIssuers.audience) == "result_shape_not_allowed")
        #expect(try await reason(harness, [.plainJWS], "https://elsewhere.test") == "result_audience_not_allowed")
        #expect(try await reason(harness, [.earJWT], ResultIssuers.audience) == "invalid_request")
        let without = try await self.harness(by: nil, ledger: ledger, rates: rates)
        #expect(try await reason(without, [.plainJWS], ResultIssuers.audience) == "results_not_configured")
        #expect(ledger.asked(.payload) == 0)
        #expect(try await reason(harness, [.plainJWS], ResultIssuers.audience) == nil, "its one look-up was left")
    }
}
