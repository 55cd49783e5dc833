import AssayAPI
import AssayCore
import AssayMetrics
import AssayRPC
import AssayResults
import AssayTesting
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Keys of results")
struct ResultsServiceTests {
    private let issuers = ResultIssuers()

    private func error<Method: APIMethod>(
        _ harness: ServiceHarness, _ method: Method, _ request: Method.Request
    ) async throws -> RPCError? {
        do {
            _ = try await harness.call(method, request)
            return nil
        } catch let error as RPCError {
            return error
        }
    }

    @Test(
        "The published keys are a JWK Set with the key that signs, and the issuer and the shapes beside it",
        arguments: [true, false])
    func published(_ simulated: Bool) async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let published = try await harness.call(API.getResultKeys, .with { $0.simulated = simulated })
        #expect(published.issuer == (simulated ? ResultIssuers.simulated : ResultIssuers.devices).address)
        let shapes = published.profiles.map(\.shape)
        #expect(shapes == ResultShape.allCases.map(\.message))
        #expect(published.profiles.allSatisfy { !$0.type.isEmpty && !$0.specification.isEmpty })
        let signer = simulated ? issuers.simulatedSigner : issuers.signer
        let kid = Base64.url.encode(try #require(JSONWebKey(subjectPublicKeyInfo: signer.publicKey)).thumbprint)
        let set = try JSONReader.parse(Array(published.jwks.utf8)[...], code: .malformed)
        guard case .object(let object) = set, case .array(let keys)? = object["keys".utf8], keys.count == 1,
            case .object(let key) = keys[0]
        else {
            Issue.record("no set of one key: \(published.jwks)")
            return
        }
        #expect(key["kid".utf8] == .string(Array(kid.utf8)) && key["use".utf8] == .string(Array("sig".utf8)))
        #expect(key["d".utf8] == nil)
    }

    @Test("Without an issuer in the configuration nothing is published, listed or rotated")
    func notConfigured() async throws {
        let harness = try await ServiceHarness()
        #expect(try await error(harness, API.getResultKeys, .init())?.reason == "results_not_configured")
        #expect(try await error(harness, API.rotateResultKey, .init())?.reason == "results_not_configured")
        #expect(try await harness.call(API.listResultKeys, .init()).keys.isEmpty)
        let real = try await ServiceHarness.signing(issuers, of: [ResultIssuers.devices])
        let refused = try await error(real, API.getResultKeys, .with { $0.simulated = true })
        #expect(refused?.code == .failedPrecondition && refused?.message.contains(#""results.simulated""#) == true)
    }

    @Test("A rotation lets the newest key sign once it was published long enough; the key before stays published")
    func rotation() async throws {
        let harness = try await ServiceHarness.signing(issuers, of: [ResultIssuers.devices])
        #expect(try await error(harness, API.rotateResultKey, .init())?.reason == "no_next_result_key")

        let next = ResultIssuers()
        let both = try issuers.keys(of: [ResultIssuers.devices]).own + next.keys(of: [ResultIssuers.devices]).own
        harness.resultKeys.use(ResultKeyTask.Keys(both))
        try await harness.resultKeys.refresh(by: .signal)
        var keys = try await harness.call(API.listResultKeys, .init()).keys
        #expect(keys.map(\.state) == [.signing, .next] && keys.map(\.held) == [true, true])
        #expect(keys.map(\.algorithm) == ["ES256", "ES256"] && keys.allSatisfy { !$0.simulated })

        let rotated = try await harness.call(API.rotateResultKey, .with { $0.reason = "the quarter's key" })
        #expect(rotated.kid == keys[1].kid && rotated.state == .next)
        #expect(rotated.signsFromUnixMs == ServiceHarness.opening.adding(milliseconds: 86_400_000).unixMilliseconds)
        let again = try await error(harness, API.rotateResultKey, .init())
        #expect(again?.code == .failedPrecondition && again?.reason == "result_key_scheduled")

        harness.clock.advance(milliseconds: 86_400_000)
        keys = try await harness.call(API.listResultKeys, .init()).keys
        #expect(keys.map(\.state) == [.last, .signing] && keys[0].publishedUntilUnixMs > harness.clock.now().unixMilliseconds)
        let published = try await harness.call(API.getResultKeys, .init())
        #expect(keys.allSatisfy { published.jwks.contains($0.kid) }, "what the key before signed can be checked")
        harness.clock.advance(milliseconds: ResultKeyRule.retention)
        let after = try await harness.call(API.getResultKeys, .init())
        #expect(!after.jwks.contains(keys[0].kid) && after.jwks.contains(keys[1].kid))
        #expect(try await harness.call(API.listResultKeys, .init()).keys.map(\.state) == [.retired, .signing])
    }

    @Test("A rotation at once lets the next key sign without waiting, and is recorded with who asked and why")
    func immediately() async throws {
        let harness = try await ServiceHarness.signing(issuers, of: [ResultIssuers.devices])
        let next = ResultIssuers()
        harness.resultKeys.use(try next.keys(of: [ResultIssuers.devices]))
        try await harness.resultKeys.refresh(by: .signal)
        let rotated = try await harness.call(API.rotateResultKey, .with { ($0.now, $0.reason) = (true, "it leaked") })
        #expect(rotated.state == .signing && rotated.held && rotated.signsFromUnixMs == ServiceHarness.opening.unixMilliseconds)
        let change = try #require(harness.ledger.memory.auditChanges.last?.change)
        #expect("\(change)".contains("it leaked") && "\(change)".contains(Caller.demo.name))
    }

    @Test("A key that this daemon does not have is listed as such")
    func notHeld() async throws {
        let harness = try await ServiceHarness.signing(issuers, of: [ResultIssuers.devices])
        harness.resultKeys.use(try ResultIssuers().keys(of: [ResultIssuers.devices]))
        try await harness.resultKeys.refresh(by: .signal)
        let keys = try await harness.call(API.listResultKeys, .init()).keys
        #expect(keys.map(\.state) == [.signing, .next] && keys.map(\.held) == [false, true])
    }

    @Test("Any role reads the published keys; the list takes observe, and a rotation operate for all apps")
    func roles() async throws {
        func may(_ role: Role, apps: Set<AppID>? = nil) async throws -> [Bool] {
            let harness = try await ServiceHarness(
                [.testing(.camera)],
                callers: CallerDirectory(byUserID: [1: Caller(name: "one", roles: [role], apps: apps)]),
                resultKeys: try issuers.keys())
            let peer = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
            var results: [Bool] = []
            for path in [API.getResultKeys.path, API.listResultKeys.path, API.rotateResultKey.path] {
                let answer = try await harness.ask(path, [], peer: peer)
                guard case .failure(let error)? = answer else {
                    results.append(true)
                    continue
                }
                results.append(error.code != .permissionDenied)
            }
            return results
        }
        for role in Role.allCases {
            let expected = [true, role == .observe, role == .operate]
            #expect(try await may(role) == expected, "\(role)")
        }
        #expect(try await may(.operate, apps: [.camera]) == [true, false, false])
    }

    @Test("Every shape and every problem has a series from the start")
    func metrics() {
        let counters = ResultCounters()
        let text = String(
            decoding: MetricsText.prometheus.write(MetricsRegistry([counters]).exposition()), as: UTF8.self)
        for shape in ResultShape.allCases {
            #expect(text.contains(#"assay_results_signed_total{shape="\#(shape.rawValue)"} 0"#))
        }
        for problem in ResultProblem.allCases {
            #expect(text.contains(#"assay_result_problems_total{code="\#(problem.rawValue)"} 0"#))
        }
        #expect(text.contains("assay_result_signing_duration_seconds_count 0"))
    }
}
