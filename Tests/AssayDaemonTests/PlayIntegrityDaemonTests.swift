import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Tokens sent to a daemon.
    @Suite("Daemon with Play Integrity")
    struct PlayIntegrityDaemonTests {
        private let console = PlayConsole()
        private let signer = [UInt8](repeating: 0xAB, count: 32)
        private let app: AppID
        private let home: TestHome

        init() throws {
            app = try #require(AppID("shop"))
            let folder = try TemporaryFolder()
            for (name, key) in [("decryption.key", console.decryptionKey), ("verification.key", console.verificationKey)] {
                try folder.write(Base64.standard.encode(key), to: name)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file(name))
            }
            home = try TestHome(listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}", in: folder)
            try folder.write(String(decoding: try CloudAccount().file, as: UTF8.self), to: "account.json")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: folder.file("account.json"))
            // No server listens there.
            let section = """

                  shop:
                    play_integrity:
                      packages: [com.example.shop]
                      signers: ["\(Hex.encode(signer))"]
                      keys: [{decryption_key_file: decryption.key, verification_key_file: verification.key}]
                  far:
                    play_integrity: {packages: [com.example.shop], signers: ["\(Hex.encode(signer))"], mode: google, google: {service_account: account.json}}
                google: {oauth: "https://localhost:1", play_integrity: "https://localhost:1"}
                """
            let text = try String(contentsOfFile: home.configuration, encoding: .utf8)
            try folder.write(text + section, to: "assayd.yaml")
        }

        private func request(
            _ client: AssayClient, _ purpose: Purpose, app: AppID? = nil, isClassic: Bool = true
        ) async throws -> VerificationRequest {
            let app = app ?? self.app
            let challenge = try await client.issueChallenge(app: app, purpose: purpose, timeout: TestPhone.patience).bytes
            let data = try #require(ClientData(purpose: purpose, challenge: challenge))
            let now = SystemClock().now()
            let payload: JSONDraft =
                isClassic
                ? .playPayload(package: "com.example.shop", signer: signer, nonce: data.bytes, at: now)
                : .playPayload(package: "com.example.shop", signer: signer, requestHash: data.hash, at: now)
            let token = Array(try console.token(payload).utf8)
            return VerificationRequest(
                app: app, purpose: purpose, challenge: challenge,
                evidence: [Evidence(format: .playIntegrity, keyID: [], body: token)])
        }

        @Test("Tokens under the app's keys are accepted once each, and register nothing")
        func life() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            for isClassic in [true, false] {
                let request = try await request(client, .assert, isClassic: isClassic)
                let verdict = try await client.patiently(request)
                #expect(verdict.outcome == "accepted" && verdict.assurance == .platform && !verdict.simulated)
                #expect(verdict.claims.contains { $0.name == "device_recognition_verdict" })
                #expect(try await client.patiently(request).outcome == "challenge_reused")
            }
            #expect(try await client.patiently(try await request(client, .register)).outcome == "evidence_missing")
            // Another challenge's token.
            let (one, other) = (try await request(client, .assert), try await request(client, .assert))
            let crossed = VerificationRequest(
                app: app, purpose: .assert, challenge: other.challenge, evidence: one.evidence)
            #expect(try await client.patiently(crossed).outcome == "nonce_mismatch")
            #expect(try await client.status().store.devices == 0)
            await client.close()
            let ending = await daemon.stop()
            #expect(ending.status == 0)
            for secret in [console.decryptionKey, console.verificationKey] {
                for form in [Hex.encode(secret), Base64.standard.encode(secret), Base64.url.encode(secret)] {
                    #expect(!ending.err.contains(form), "keys are not logged")
                }
            }
        }

        @Test(
            "Without Google's answer a token is UNAVAILABLE, and never ACCEPTED")
        func unavailable() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let far = try #require(AppID("far"))
            let request = try await request(client, .assert, app: far)
            await DaemonTests.expect(.unavailable) { _ = try await client.patiently(request) }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("The command line sends and opens tokens")
        func commandLine() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let request = try await request(client, .assert)
            let (token, data) = (home.folder.file("token"), home.folder.file("client-data"))
            let text = String(decoding: try #require(request.evidence.first).body, as: UTF8.self)
            try home.folder.write(text + "\n", to: "token")
            let clientData = try #require(ClientData(purpose: .assert, challenge: request.challenge))
            try home.folder.write(clientData.bytes, to: "client-data")
            let inspected = try await Child.run(
                "assay", ["inspect", token, "--config", home.configuration, "--app", "shop", "--client-data", data])
            #expect(inspected.status == 0, "\(inspected)")
            #expect(inspected.out.contains("PLAY_RECOGNIZED") && inspected.out.contains("is Google's"))
            let verify = [
                "verify", "--server", try daemon.address("tcp"), "--app", "shop", "--challenge",
                Base64.url.encode(request.challenge), "--play-token", token,
            ]
            let accepted = try await Child.run("assay", verify)
            #expect(accepted.status == 0 && accepted.out.contains("assurance platform"), "\(accepted)")
            let again = try await Child.run("assay", verify)
            #expect(again.status == 1 && again.out.contains("challenge_reused"), "\(again)")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }
    }
}
