import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Tokens that Google decodes")
    struct GoogleDecodeTests {
        @Test("A token is accepted, and decoded once however often it is sent")
        func once() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                let request = try scene.standard(try await scene.challenge(scene.play, .assert, client))
                let verdict = try await client.patiently(request)
                #expect(verdict.outcome == "accepted" && verdict.assurance == .platform && !verdict.simulated)
                #expect(verdict.claims.first { $0.name == "decoded_by" }?.text == "google")
                #expect(try await client.patiently(request).outcome == "challenge_reused")
                #expect(scene.decoder.decodes.count == 1)
            }
        }

        @Test("A rejected token is not decoded again")
        func refusedOnce() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                let challenge = try await scene.challenge(scene.play, .assert, client)
                let other = try await scene.challenge(scene.play, .assert, client)
                let stolen = VerificationRequest(
                    app: scene.play, purpose: .assert, challenge: challenge, evidence: try scene.standard(other).evidence)
                for _ in 0..<3 { #expect(try await client.patiently(stolen).outcome == "request_hash_mismatch") }
                #expect(scene.decoder.decodes.count == 1)
            }
        }

        @Test("A second token for the same challenge is not decoded")
        func claimed() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                scene.decoder.fail(TestHTTPSAnswer(500))
                let challenge = try await scene.challenge(scene.play, .assert, client)
                await DaemonTests.expect(.unavailable) { _ = try await client.patiently(try scene.standard(challenge)) }
                let second = try await client.patiently(try scene.standard(challenge))
                #expect(second.outcome == "challenge_attempts_exceeded")
                #expect(scene.decoder.decodes.count == 1)
            }
        }

        @Test("Simultaneous requests with one token cause one decode, and one of them wins")
        func race() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                let request = try scene.standard(try await scene.challenge(scene.play, .assert, client))
                let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<32 { group.addTask { try await client.patiently(request).outcome } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes.count { $0 == "accepted" } == 1)
                let others = Set(outcomes).subtracting(["accepted"])
                #expect(others.isSubset(of: ["challenge_reused", "challenge_attempts_exceeded"]), "\(others)")
                #expect(scene.decoder.decodes.count == 1)
            }
        }

        @Test("While Google is down the answer is UNAVAILABLE, nothing is spent, and a new token is accepted afterwards")
        func down() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                scene.decoder.fail(TestHTTPSAnswer(503))
                let lost = try scene.standard(try await scene.challenge(scene.play, .assert, client))
                let error = await #expect(throws: AssayError.self) { try await client.patiently(lost) }
                #expect(error?.code == .unavailable && error?.reason == "evidence_unavailable")
                scene.decoder.fail(nil)
                // Google may have counted the first request: the same token stays without an answer, and is not decoded again.
                await DaemonTests.expect(.unavailable) { _ = try await client.patiently(lost) }
                #expect(scene.decoder.decodes.count == 1)
                let fresh = try scene.standard(try await scene.challenge(scene.play, .assert, client))
                #expect(try await client.patiently(fresh).outcome == "accepted")
            }
        }

        @Test("A request that did not reach Google may be repeated")
        func unreachable() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                let request = try scene.standard(try await scene.challenge(scene.play, .assert, client))
                // Without a bearer token no request is sent.
                scene.google.answerNext(TestHTTPSAnswer(503))
                await DaemonTests.expect(.unavailable) { _ = try await client.patiently(request) }
                #expect(scene.decoder.decodes.isEmpty)
                #expect(try await client.patiently(request).outcome == "accepted")
            }
        }

        @Test("Tokens decoded elsewhere before are distinguished from invalid ones, which Google never receives")
        func odd() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                let request = try scene.standard(try await scene.challenge(scene.play, .assert, client))
                // Another party had it decoded before.
                let token = String(decoding: try #require(request.evidence.first).body, as: UTF8.self)
                _ = scene.decoder.decode(token)
                let cleared = try await client.patiently(request)
                #expect(cleared.outcome == "app_verdict" && cleared.findings.contains { $0.code == "verdicts_cleared" })
                let challenge = try await scene.challenge(scene.play, .assert, client)
                func outcome(_ text: String) async throws -> String {
                    let evidence = Evidence(format: .playIntegrity, keyID: [], body: Array(text.utf8))
                    let request = VerificationRequest(
                        app: scene.play, purpose: .assert, challenge: challenge, evidence: [evidence])
                    return try await client.patiently(request).outcome
                }
                let asked = scene.decoder.decodes.count
                for junk in ["no-token", token + "=", token + "."] { #expect(try await outcome(junk) == "malformed_token") }
                #expect(scene.decoder.decodes.count == asked)
                #expect(try await outcome(DecodeService.stranger()) == "vendor_refused")
                #expect(scene.decoder.decodes.count == asked + 1)
            }
        }

        @Test("One app's tokens, however many, take no requests from another app")
        func shares() async throws {
            let scene = try await GoogleHome()
            let other = try #require(AppID("second"))
            let text = scene.home.folder.text("assayd.yaml")
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("  play: ") })
            // Two apps ask, so that each has one of three requests.
            try scene.home.folder.write(
                text.replacing("vendors: {", with: "vendors: {max_calls: 3, ")
                    .replacing(line, with: "\(line)\n  second: \(line.dropFirst(8))"), to: "assayd.yaml")
            try await scene.run { _, client in
                scene.google.answerNext(
                    .json(#"{"access_token":"bearer","expires_in":3599,"token_type":"Bearer"}"#), .silence)
                let held = try scene.standard(try await scene.challenge(scene.play, .assert, client))
                let waiting = Task { try await client.patiently(held) }
                _ = await scene.google.requests(atLeast: 2)
                for _ in 0..<8 {
                    let more = try scene.standard(try await scene.challenge(scene.play, .assert, client))
                    await DaemonTests.expect(.unavailable) { _ = try await client.patiently(more) }
                }
                for _ in 0..<3 {
                    var honest = try scene.standard(try await scene.challenge(other, .assert, client))
                    honest.app = other
                    #expect(try await client.patiently(honest).outcome == "accepted")
                }
                try await scene.google.stop()
                _ = await #expect(throws: AssayError.self) { try await waiting.value }
            }
        }

        @Test("A slow Google delays no other caller")
        func slow() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                scene.decoder.fail(.silence)
                let request = try scene.standard(try await scene.challenge(scene.play, .assert, client))
                let waiting = Task { try await client.patiently(request) }
                _ = await scene.google.requests(atLeast: 2)
                var phone = scene.home.phone()
                #expect(try await phone.register(client).outcome == "accepted")
                for _ in 0..<10 { #expect(try await phone.upload(client).outcome == "accepted") }
                // Only now does the silence end.
                try await scene.google.stop()
                let error = await #expect(throws: AssayError.self) { try await waiting.value }
                #expect(error?.code == .unavailable)
            }
        }
    }
}
