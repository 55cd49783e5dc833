import AssayAPI
import AssayClient
import AssayCore
import AssayRPC
import AssayResults
import AssaySimulator
import AssayTesting
import AssayVendors
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Results as whole daemons sign them, and others read them. Virtual devices are simulated ones.
    @Suite("Signed results")
    struct ResultTests {
        private static let keys = "/simulated/.well-known/jwks.json"

        private func asking(
            _ home: ResultHome, _ client: some MethodCaller, _ shapes: [ResultShape], key: String = ""
        ) async throws -> VerificationRequest {
            let phone = home.home.phone()
            let challenge = try await client.call(
                API.issueChallenge, .with { ($0.app, $0.purpose) = ("camera", .register) })
            var request = try phone.registration(Array(challenge.challenge))
            request.results = shapes.map { ResultRequest(shape: $0, audience: ResultHome.audience) }
            request.idempotencyKey = Array(key.utf8)
            return request
        }

        @Test("What is asked for over frames and by JSON verifies by the keys that HTTP and the method give")
        func bothProtocols() async throws {
            let home = try ResultHome()
            let daemon = try await TestDaemon(home.home, addresses: 2)
            let framed = try await FramedCaller(try daemon.address("tcp"))
            let json = JSONCaller(port: try daemon.httpPort)
            let served = try await ResultHome.get(Self.keys, at: daemon)
            #expect(served.status == 200 && served.headers.cacheControl == "public, max-age=3600" && served.headers.eTag != nil)
            let published = try await framed.call(API.getResultKeys, .with { $0.simulated = true })
            #expect(Array(published.jwks.utf8) == served.body && published.issuer == ResultHome.issuer + "/simulated")

            for client in [framed, json] as [any MethodCaller] {
                let request = try await asking(home, client, [.earJWT, .session])
                let verdict = try await client.call(API.verify, request.message)
                try #require(verdict.outcome == "accepted" && verdict.results.count == 2)
                for (result, shape) in zip(verdict.results, [ResultShape.earJWT, .session]) {
                    let read = try ResultHome.read(result.text, as: shape, by: served.body)
                    #expect(read.issuedAt.unixMilliseconds / 1000 == verdict.decidedAtUnixMs / 1000)
                }
                var refused = request
                refused.results[0].audience = "https://else.example"
                await #expect(throws: RPCError.self) { try await client.call(API.verify, refused.message) }
            }
            await framed.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("The addresses of the issuers are for everyone; each has its own keys and says what it signs")
        func addresses() async throws {
            let home = try ResultHome()
            let daemon = try await TestDaemon(home.home, addresses: 2)
            let real = try await ResultHome.get("/.well-known/jwks.json", at: daemon)
            let simulated = try await ResultHome.get(Self.keys, at: daemon)
            #expect(real.status == 200 && simulated.status == 200 && real.body != simulated.body)
            for (path, address) in [("", ResultHome.issuer), ("/simulated", ResultHome.issuer + "/simulated")] {
                let answer = try await ResultHome.get(path + "/.well-known/assay-issuer", at: daemon)
                let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
                #expect(object["issuer"] as? String == address && object["simulated"] as? Bool == !path.isEmpty)
                #expect(object["jwks_uri"] as? String == address + "/.well-known/jwks.json")
                #expect(object["result_signing_alg_values_supported"] as? [String] == ["ES256"])
                let supported = try #require(object["results_supported"] as? [[String: String]])
                #expect(supported.count == ResultShape.allCases.count)
            }
            #expect(try await ResultHome.get("/other/.well-known/jwks.json", at: daemon).status == 404)
            #expect(await daemon.stop().status == 0)

            let plain = try TestHome.speakingHTTP()
            let without = try await TestDaemon(plain, addresses: 2)
            #expect(try await ResultHome.get("/.well-known/jwks.json", at: without).status == 404)
            #expect(await without.stop().status == 0)
        }

        @Test("Tokens before and after a rotation verify by the keys that are published after it")
        func rotation() async throws {
            let home = try ResultHome()
            let daemon = try await TestDaemon(home.home, addresses: 2)
            let client = try await daemon.connect()
            let framed = try await FramedCaller(try daemon.address("tcp"))
            func token() async throws -> String {
                try await framed.call(API.verify, try await asking(home, framed, [.earJWT]).message).results[0].text
            }
            let before = try await token()
            try home.addSimulatedKey("simulated-2")
            daemon.child.signal(SIGHUP)
            try await eventually("the next key is published") {
                try await client.resultKeys().count(where: \.simulated) == 2
            }
            let next = try await client.rotateResultKey(now: true, simulated: true, reason: "a trial")
            #expect(next.state == .signing && next.held)
            let after = try await token()
            let keys = try await ResultHome.get(Self.keys, at: daemon).body
            let read = [
                try ResultHome.read(before, as: .earJWT, by: keys), try ResultHome.read(after, as: .earJWT, by: keys),
            ]
            #expect(Base64.url.encode(read[1].keyIdentifier) == next.kid && read[0].keyIdentifier != read[1].keyIdentifier)
            await framed.close()
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        /// What came of the requests of many tasks.
        private final class Seen: Sendable {
            private let state = Mutex<(answered: Int, unanswered: [VerificationRequest])>((0, []))

            /// How many were answered, with this one.
            func answer() -> Int {
                state.withLock { state in
                    state.answered += 1
                    return state.answered
                }
            }

            func leaves(_ request: VerificationRequest) { state.withLock { $0.unanswered.append(request) } }

            var unanswered: [VerificationRequest] { state.withLock { $0.unanswered } }
        }

        @Test("A kill between commit and answer loses no result: the same request is signed, and nothing is accepted twice")
        func kill() async throws {
            let home = try ResultHome()
            let first = try await TestDaemon(home.home, addresses: 2)
            let seen = Seen()
            let client = try await FramedCaller(try first.address("tcp"))
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        for number in 0..<1000 {
                            guard let request = try? await asking(home, client, [.earJWT], key: "\(worker) \(number)") else {
                                return
                            }
                            guard (try? await client.call(API.verify, request.message)) != nil else {
                                return seen.leaves(request)
                            }
                            if seen.answer() == 60 { first.child.signal(SIGKILL) }
                        }
                    }
                }
            }
            #expect(await first.child.ending().status == 128 + SIGKILL)
            await client.close()

            let daemon = try await TestDaemon(home.home, addresses: 2)
            let again = try await FramedCaller(try daemon.address("tcp"))
            let keys = try await ResultHome.get(Self.keys, at: daemon).body
            for request in seen.unanswered {
                let verdict = try await again.call(API.verify, request.message)
                try #require(verdict.outcome == "accepted" && verdict.results.count == 1)
                let read = try ResultHome.read(verdict.results[0].text, as: .earJWT, by: keys)
                #expect(read.issuedAt.unixMilliseconds / 1000 == verdict.decidedAtUnixMs / 1000)
                // Whatever the first try came to, there is one acceptance.
                #expect(try await again.call(API.verify, request.message).requestID == verdict.requestID)
            }
            await again.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A device that is blocked gets no token for a verdict that it had")
        func blocked() async throws {
            let home = try ResultHome()
            let daemon = try await TestDaemon(home.home, addresses: 2)
            let client = try await FramedCaller(try daemon.address("tcp"))
            let request = try await asking(home, client, [.session], key: "upload 1")
            let verdict = try await client.call(API.verify, request.message)
            #expect(!verdict.results[0].text.isEmpty)
            _ = try await client.call(
                API.block,
                .with {
                    ($0.app, $0.reason) = ("camera", "stolen")
                    $0.target.deviceID = verdict.deviceID
                })
            let after = try await client.call(API.verify, request.message)
            #expect(after.outcome == "device_blocked" && after.results.isEmpty)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        // MARK: The command line

        private func assay(_ daemon: TestDaemon, _ words: [String]) async throws -> Child.Ending {
            try await Child.run("assay", words, environment: ["ASSAY_SERVER": try daemon.address("tcp")])
        }

        @Test("The command line asks for a result, checks it by a file, an address and the daemon, and says why one is none")
        func commands() async throws {
            let home = try ResultHome()
            let daemon = try await TestDaemon(home.home, addresses: 2)
            let folder = home.home.folder
            let client = try await daemon.connect()
            let phone = home.home.phone()
            let request = try phone.registration(try await phone.challenge(.register, client))
            let attestation = try folder.write(request.evidence[0].body, to: "attestation")
            let asked = try await assay(
                daemon,
                [
                    "verify", "--app", "camera", "--challenge", "hex:" + Hex.encode(request.challenge), "--key-id",
                    "hex:" + Hex.encode(phone.key.keyID), "--attestation", attestation, "--result", "ear-jwt", "--audience",
                    ResultHome.audience, "--nonce", "hex:" + String(repeating: "ab", count: 16), "--result-file",
                    folder.file("result.jwt"), "--json",
                ])
            #expect(asked.status == 0, "\(asked)")
            let object = try #require(try JSONSerialization.jsonObject(with: Data(asked.out.utf8)) as? [String: Any])
            let result = try #require((object["results"] as? [[String: Any]])?.first)
            #expect(result["shape"] as? String == "ear-jwt" && result["token"] as? String == folder.text("result.jwt"))
            #expect((object["limits"] as? [String])?.contains("relay_not_excluded") == true)

            try folder.write(try await ResultHome.get(Self.keys, at: daemon).body, to: "jwks.json")
            let url = "http://127.0.0.1:\(try daemon.httpPort)\(Self.keys)"
            let issuer = ["--issuer", ResultHome.issuer + "/simulated"]
            let expected = ["--audience", ResultHome.audience, "--simulated"]
            for keys in [["--jwks", folder.file("jwks.json")] + issuer, ["--jwks", url] + issuer, []] {
                let verified = try await assay(daemon, ["results", "verify", folder.file("result.jwt")] + expected + keys)
                #expect(verified.status == 0 && verified.lines.first == "VERIFIED  ear-jwt  [simulated]", "\(verified)")
                #expect(verified.out.contains("ear_status") && verified.out.contains("who signed it"))
            }
            let file = ["results", "verify", folder.file("result.jwt"), "--jwks", folder.file("jwks.json")] + issuer
            for (words, code) in [
                (["--audience", "https://else.example", "--simulated"], "wrong_audience"),
                (["--audience", ResultHome.audience], "wrong_kind_of_device"),
                (expected + ["--shape", "session"], "wrong_type"),
                (expected + ["--nonce", "hex:00112233445566778899"], "wrong_nonce"),
                (expected + ["--at", "2100-01-01T00:00:00Z"], "expired"),
            ] {
                let refused = try await assay(daemon, file + words)
                #expect(refused.status == 65 && refused.lines.first == "NOT VERIFIED  \(code)", "\(refused)")
            }
            let json = try await assay(daemon, file + expected + ["--at", "2100-01-01T00:00:00Z", "--json"])
            let fault = try #require(try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any])
            #expect(json.status == 65 && fault["verified"] as? Bool == false && fault["code"] as? String == "expired")

            let listed = try await assay(daemon, ["results", "keys"])
            #expect(
                listed.status == 0 && listed.lines.count == 2 && listed.lines.allSatisfy { $0.contains("  signing  ES256  ") })
            let rotated = try await assay(daemon, ["results", "rotate"])
            #expect(rotated.status == 78 && rotated.err.contains("add the next key"), "\(rotated)")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("The command line says that a result was not signed, by its exit status too")
        func notSigned() async throws {
            let home = try ResultHome(", session: {minimum_assurance: secure_element, per_device: 1}")
            let daemon = try await TestDaemon(home.home, addresses: 2)
            let client = try await daemon.connect()
            var phone = home.home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            func session() async throws -> Child.Ending {
                let request = try phone.upload(try await phone.challenge(.assert, client))
                let assertion = try home.home.folder.write(request.evidence[0].body, to: "assertion")
                let payload = try home.home.folder.write("photo", to: "photo")
                return try await assay(
                    daemon,
                    [
                        "verify", "--app", "camera", "--challenge", "hex:" + Hex.encode(request.challenge), "--key-id",
                        "hex:" + Hex.encode(phone.key.keyID), "--assertion", assertion, "--payload", payload, "--result",
                        "session",
                        "--audience", ResultHome.audience,
                    ])
            }
            #expect(try await session().status == 0)
            let second = try await session()
            #expect(second.status == 69 && second.lines.first?.hasPrefix("ACCEPTED") == true, "\(second)")
            #expect(second.out.contains("session: not signed, result_too_many: "))
            await client.close()
            #expect(await daemon.stop().status == 0)
        }
    }
}
