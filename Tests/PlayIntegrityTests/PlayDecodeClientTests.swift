import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import AssayVendors
@testable import PlayIntegrity

@Suite("Play decode client", .timeLimit(.minutes(30)))
struct PlayDecodeClientTests {
    private let clock = FixedClock(Timestamp(unixMilliseconds: 1_750_000_000_123))
    /// Time-outs that are reached, but not before the machine's roots are read.
    private static let hasty = VendorSettings(connectMilliseconds: 50_000, totalMilliseconds: 10_000)

    @Test("Requests name the package, with the unchanged token and one bearer token for many requests")
    func request() async throws {
        try await PlayHarness.run(clock) { harness in
            let tokens = ["eyJ.a-b_c.d", #"odd"and\odd"#]
            for token in tokens { #expect(await harness.ask(token) == .success(.answered(Array("{}".utf8)))) }
            #expect(harness.tokenRequests.count == 1)
            for (request, token) in zip(harness.decodes, tokens) {
                #expect(request.method == "POST" && request.header("authorization") == "Bearer bearer-1")
                #expect(request.header("content-type") == "application/json")
                let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: String]
                #expect(body == ["integrityToken": token])
            }
            #expect(harness.decodes.count == tokens.count)
        }
    }

    @Test("Google's answer is returned unchanged, for the verifier to read")
    func answered() async throws {
        try await PlayHarness.run(clock) { harness in
            for body in ["", "<html>", #"{"tokenPayloadExternal":{}}"#] {
                harness.decode { _ in TestHTTPSAnswer(200, text: body) }
                #expect(await harness.ask() == .success(.answered(Array(body.utf8))))
            }
        }
    }

    @Test("After a refused bearer token a request is repeated once with a new one")
    func renewed() async throws {
        try await PlayHarness.run(clock) { harness in
            harness.decode { $0.header("authorization") == "Bearer bearer-1" ? TestHTTPSAnswer(401) : .json("{}") }
            #expect(await harness.ask() == .success(.answered(Array("{}".utf8))))
            #expect(harness.decodes.map { $0.header("authorization") } == ["Bearer bearer-1", "Bearer bearer-2"])
            #expect(harness.tokenRequests.count == 2)
        }
    }

    @Test("A request is repeated only once if every bearer token is refused")
    func neverTaken() async throws {
        try await PlayHarness.run(clock, decode: { _ in TestHTTPSAnswer(401) }) { harness in
            #expect(await harness.ask().isUnavailable)
            #expect(harness.decodes.count == 2 && harness.tokenRequests.count == 2)
        }
    }

    @Test("A refusal of the token is recognised")
    func refused() async throws {
        try await PlayHarness.run(clock, decode: { _ in .json(#"{"error":{"code":400}}"#, status: 400) }) { harness in
            for _ in 0..<10 { #expect(await harness.ask() == .success(.refused(Rejection(.vendorRefused, "")))) }
            #expect(harness.decodes.count == 10, "a bad token says nothing of the service")
        }
    }

    @Test("Tokens that the account may not decode neither stop requests nor fill the log", arguments: [403, 404])
    func foreign(_ status: Int) async throws {
        try await PlayHarness.run(clock) { harness in
            for _ in 0..<10 {
                harness.decode { _ in TestHTTPSAnswer(status) }
                #expect(await harness.ask().isUnavailable)
                harness.decode { _ in .json("{}") }
                #expect(!(await harness.ask().isUnavailable))
            }
            #expect(harness.decodes.count == 20)
            #expect(harness.log.lines.count == 1 && harness.log.lines.first?.contains("status \(status)") == true)
            clock.advance(milliseconds: VendorHealth.quiet)
            harness.decode { _ in TestHTTPSAnswer(status) }
            _ = await harness.ask()
            #expect(harness.log.lines.count == 2, "it is told again in time")
        }
    }

    @Test(
        "Other statuses are never an answer, and the request is not repeated", arguments: [204, 302, 304, 402, 429, 500, 503])
    func noAnswer(_ status: Int) async throws {
        try await PlayHarness.run(clock, decode: { _ in TestHTTPSAnswer(status, text: "{}") }) { harness in
            #expect(await harness.ask().isUnavailable)
            #expect(harness.decodes.count == 1)
        }
    }

    @Test(
        "A request whose answer was lost is not repeated",
        arguments: [TestHTTPSAnswer.Ending.silent, .stalled, .cutShort, .hungUp])
    func lost(_ ending: TestHTTPSAnswer.Ending) async throws {
        let answer = TestHTTPSAnswer(200, text: #"{"tokenPayloadExternal":{}}"#, ending: ending)
        try await PlayHarness.run(clock, Self.hasty, decode: { _ in answer }) { harness in
            let result = await harness.ask()
            #expect(result.isUnavailable)
            #expect("\(result)".contains("may have counted the question"))
            #expect(harness.decodes.count == 1)
        }
    }

    @Test("An endless answer is refused", arguments: [PlayDecodeClient.answerLimit + 1, 10_000_000])
    func long(_ count: Int) async throws {
        try await PlayHarness.run(clock, decode: { _ in .zeros(count) }) { harness in
            #expect(await harness.ask().isUnavailable)
            #expect(harness.decodes.count == 1)
            harness.decode { _ in .zeros(PlayDecodeClient.answerLimit) }
            #expect(!(await harness.ask().isUnavailable))
        }
    }

    @Test("A failing service is not asked for a while, and then tried with one request")
    func breaker() async throws {
        try await PlayHarness.run(clock, decode: { _ in TestHTTPSAnswer(503) }) { harness in
            var kept = 0
            for _ in 0..<10 { kept += await harness.ask().isNotAsked ? 1 : 0 }
            #expect(harness.decodes.count == CircuitBreaker.patience && kept == 10 - CircuitBreaker.patience)
            clock.advance(milliseconds: 1000)
            let gate = TestGate()
            harness.decode { _ in .json("{}").held(by: gate) }
            let notAsked = await withTaskGroup { group in
                for _ in 0..<8 { group.addTask { await harness.ask().isNotAsked } }
                var answers: [Bool] = []
                for await answer in group {
                    answers.append(answer)
                    // These did not wait for the one that is asked.
                    if answers.count == 7 { gate.open() }
                }
                return answers
            }
            #expect(notAsked.count { $0 } == 7)
            #expect(harness.decodes.count == CircuitBreaker.patience + 1)
            harness.decode { _ in .json("{}") }
            for _ in 0..<5 { #expect(!(await harness.ask().isNotAsked)) }
            #expect(harness.log.entries.map(\.message) == ["Play Integrity gives no answer", "Play Integrity answers again"])
        }
    }

    @Test("Many simultaneous failures do not lengthen the wait")
    func burst() async throws {
        let gate = TestGate()
        try await PlayHarness.run(clock, decode: { _ in TestHTTPSAnswer(503).held(by: gate) }) { harness in
            await withTaskGroup { group in
                for _ in 0..<20 { group.addTask { _ = await harness.ask() } }
                // With the one for the bearer token.
                _ = await harness.server.requests(atLeast: 21)
                gate.open()
            }
            #expect(harness.decodes.count == 20)
            #expect(await harness.ask().isNotAsked)
            clock.advance(milliseconds: 1000)
            harness.decode { _ in .json("{}") }
            #expect(!(await harness.ask().isNotAsked))
        }
    }

    @Test("The wait is at least what Google asks for")
    func retryAfter() async throws {
        let busy = TestHTTPSAnswer(429, headers: [("retry-after", "30")])
        try await PlayHarness.run(clock, decode: { _ in busy }) { harness in
            for _ in 0..<CircuitBreaker.patience { _ = await harness.ask() }
            clock.advance(milliseconds: 29_999)
            #expect(await harness.ask().isNotAsked)
            clock.advance(milliseconds: 1)
            #expect(await harness.ask().isUnavailable)
            #expect(harness.decodes.count == CircuitBreaker.patience + 1)
        }
    }

    @Test("A request that reached no server may be repeated")
    func unreachable() async throws {
        try await PlayHarness.run(clock) { harness in
            let nowhere = try #require(VendorAddress("https://localhost:1"))
            let client = PlayDecodeClient(
                client: harness.vendorClient, address: nowhere, package: PlayHarness.package, access: harness.access,
                clock: clock, logger: harness.log.logger)
            for _ in 0..<2 {
                await #expect(throws: AnswerSourceError.self) { try await client.decode(Array("token".utf8)) }
            }
        }
    }

    @Test("Without a bearer token no request is sent", arguments: [400, 503])
    func noAccess(_ status: Int) async throws {
        try await PlayHarness.run(clock) { harness in
            harness.server.answer { $0.path == "/token" ? TestHTTPSAnswer(status) : .json("{}") }
            for _ in 0..<10 { #expect(await harness.ask().isNotAsked) }
            #expect(harness.decodes.isEmpty)
            #expect(harness.server.requests.count == CircuitBreaker.patience)
        }
    }

    @Test("The number of requests in flight is limited")
    func concurrency() async throws {
        let gate = TestGate()
        try await PlayHarness.run(clock, callLimit: 2, decode: { _ in .json("{}").held(by: gate) }) { harness in
            async let first = harness.ask("1")
            async let second = harness.ask("2")
            _ = await harness.server.requests(atLeast: 3)
            #expect(await harness.ask("3").isNotAsked)
            gate.open()
            for result in await [first, second] { #expect(!result.isNotAsked) }
            #expect(!(await harness.ask("3").isNotAsked))
        }
    }

    @Test("No error contains a secret")
    func secrecy() async throws {
        try await PlayHarness.run(clock) { harness in
            let token = "eyJhbGciOiJBMjU2S1ciLCJlbmMiOiJBMjU2R0NNIn0.very.secret.token"
            var told = ""
            for status in [200, 400, 401, 403, 429, 500] {
                // A service that answers with the request's content.
                harness.decode { request in
                    TestHTTPSAnswer(status, text: request.text + (request.header("authorization") ?? ""))
                }
                if case .success(.answered) = await harness.ask(token) { continue }
                told += "\(await harness.ask(token))"
                clock.advance(milliseconds: 60_000)
            }
            harness.decode { _ in .hangUp }
            told += "\(await harness.ask(token))"
            harness.server.answer { TestHTTPSAnswer(500, text: $0.text) }
            clock.advance(milliseconds: 3_600_000)
            told += "\(await harness.ask(token))"
            #expect(!harness.log.lines.isEmpty && !told.isEmpty)
            told += harness.log.lines.joined(separator: "\n")
            let assertions = harness.tokenRequests.compactMap { $0.text.split(separator: "=").last.map(String.init) }
            #expect(assertions.count > 1)
            let key = harness.account.privateKeyPEM.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("-") }
            for secret in [token, "bearer-", "secret"] + assertions + key { #expect(!told.contains(secret)) }
        }
    }
}
