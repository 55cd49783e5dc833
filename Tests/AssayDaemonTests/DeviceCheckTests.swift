import AssayAPI
import AssayClient
import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("DeviceCheck tokens")
    struct DeviceCheckTests {
        private static let bits = TestHTTPSAnswer.json(#"{"bit0":false,"bit1":true,"last_update_time":"2024-05"}"#)

        private func request(
            _ token: [UInt8], _ client: AssayClient, _ scene: AppleHome, expected: DeviceID? = nil
        ) async throws -> VerificationRequest {
            let challenge = try await client.issueChallenge(
                app: scene.home.app, purpose: .assert, timeout: TestPhone.patience)
            return VerificationRequest(
                app: scene.home.app, purpose: .assert, challenge: challenge.bytes,
                evidence: [Evidence(format: .deviceCheck, keyID: [], body: token)], expectedDevice: expected)
        }

        @Test("A token is accepted once with Apple's answer, and bound to nothing")
        func once() async throws {
            let scene = try await AppleHome(app: "device_check: {}, ")
            try await scene.run { _, client in
                scene.apple.answer { _ in Self.bits }
                let token = SecureRandom.bytes(2000)
                let verdict = try await client.patiently(try await request(token, client, scene))
                #expect(verdict.outcome == "accepted")
                #expect(verdict.assurance == .platform)
                #expect(verdict.deviceID.isEmpty)
                #expect(verdict.findings.contains { $0.code == "not_bound" })
                #expect(verdict.claims.first { $0.name == "bit1" }?.boolean == true)
                #expect(verdict.claims.first { $0.name == "bits_last_set" }?.text == "2024-05")
                let again = try await client.patiently(try await request(token, client, scene))
                #expect(again.outcome == "challenge_reused")
                let other = try await client.patiently(try await request(SecureRandom.bytes(10), client, scene))
                #expect(other.outcome == "accepted")
            }
        }

        @Test("A token is refused by the bits that the app names, and when Apple refuses it")
        func refused() async throws {
            let scene = try await AppleHome(app: "device_check: {refuse_bits: [bit1]}, ")
            try await scene.run { _, client in
                scene.apple.answerNext(Self.bits, TestHTTPSAnswer(400, text: "Bad Device Token"))
                let marked = try await client.patiently(try await request([1], client, scene))
                #expect(marked.outcome == "device_bits")
                let bad = try await client.patiently(try await request([2], client, scene))
                #expect(bad.outcome == "vendor_refused")
                scene.apple.answerNext(TestHTTPSAnswer(200, text: "Failed to find bit state"))
                let unset = try await client.patiently(try await request([3], client, scene))
                #expect(unset.outcome == "accepted")
            }
        }

        @Test("A token is not accepted while Apple does not answer, and may be sent again")
        func outage() async throws {
            let scene = try await AppleHome(app: "device_check: {}, ")
            try await scene.run { _, client in
                scene.apple.answer { _ in TestHTTPSAnswer(503, text: "<html>bit state not found</html>") }
                let first = try await request([1], client, scene)
                let problem = await #expect(throws: AssayError.self) { try await client.patiently(first) }
                #expect(problem?.code == .unavailable)
                scene.apple.answer { _ in Self.bits }
                #expect(try await client.patiently(first).outcome == "accepted")
            }
        }

        @Test("A token does not replace an expected device")
        func expectedDevice() async throws {
            let scene = try await AppleHome(app: "device_check: {}, ")
            try await scene.run { _, client in
                scene.apple.answer { _ in Self.bits }
                let verdict = try await client.patiently(
                    try await request([1], client, scene, expected: DeviceID.random()))
                #expect(verdict.outcome == "device_mismatch")
            }
        }

        @Test("A token adds the bits to an assertion and does not change its assurance")
        func beside() async throws {
            let scene = try await AppleHome(app: "device_check: {}, ")
            try await scene.run { _, client in
                scene.apple.answer { _ in Self.bits }
                var phone = scene.home.phone()
                let device = try await phone.register(client).deviceID
                var both = try phone.upload(try await phone.challenge(.assert, client))
                both.evidence.append(Evidence(format: .deviceCheck, keyID: [], body: [9]))
                both.expectedDevice = DeviceID(bytes: Array(device))
                let verdict = try await client.patiently(both)
                #expect(verdict.outcome == "accepted")
                #expect(verdict.assurance == .secureElement)
                #expect(verdict.claims.contains { $0.name == "device-check.token/bit1" })
            }
        }

        @Test("A token is refused by an app without the section, and registers nothing")
        func off() async throws {
            let scene = try await AppleHome()
            try await scene.run { _, client in
                let verdict = try await client.patiently(try await request([1], client, scene))
                #expect(verdict.outcome == "format_not_accepted")
                #expect(scene.apple.connectionCount == 0)
            }
        }

        @Test("assay verify --device-check sends a token")
        func command() async throws {
            let scene = try await AppleHome(app: "device_check: {}, ")
            scene.apple.answer { _ in Self.bits }
            let daemon = try await TestDaemon(scene.home)
            let environment = ["ASSAY_SERVER": try daemon.address("tcp")]
            let challenge = try await Child.run(
                "assay", ["challenge", "--app", "camera", "--purpose", "assert"], environment: environment)
            let text = try #require(challenge.lines.first.map { String($0) })
            let token = try scene.home.folder.write(SecureRandom.bytes(500), to: "token")
            let words = ["verify", "--app", "camera", "--challenge", text, "--device-check", token]
            let verdict = try await Child.run("assay", words, environment: environment)
            #expect(verdict.status == 0 && verdict.out.contains("bits_last_set"), "\(verdict)")
            let odd = try await Child.run("assay", words + ["--key-id", "hex:00"], environment: environment)
            #expect(odd.status == 64)
            await daemon.stop()
            try await scene.apple.stop()
        }
    }
}
