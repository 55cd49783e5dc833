import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// A key attestation and a Play Integrity token bound to the attested key.
    @Suite("Key attestation and token together")
    struct CompositeTests {
        /// Both pieces for one challenge. The default of each argument is genuine.
        private func request(
            _ scene: GoogleHome, _ client: AssayClient, _ key: AndroidKey, boundTo bound: [UInt8]? = nil,
            isClassic: Bool = true, edit: (inout JSONDraft) -> Void = { _ in }
        ) async throws -> VerificationRequest {
            let challenge = try await scene.challenge(scene.both, .register, client)
            let now = scene.clock.now()
            let attested = try #require(ClientData(purpose: .register, challenge: challenge))
            let chain = try key.attest(challenge: attested.bytes, at: now)
            let data = try #require(
                ClientData(purpose: .register, challenge: challenge, payload: bound ?? key.keyID))
            let (package, signer) = (TestAndroid.package, TestAndroid.signer)
            var payload: JSONDraft =
                isClassic
                ? .playPayload(package: package, signer: signer, nonce: data.bytes, at: now)
                : .playPayload(package: package, signer: signer, requestHash: data.hash, at: now)
            edit(&payload)
            return VerificationRequest(
                app: scene.both, purpose: .register, challenge: challenge,
                evidence: [
                    Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain)),
                    Evidence(format: .playIntegrity, keyID: [], body: Array(try scene.console.token(payload).utf8)),
                ])
        }

        private func device(_ scene: GoogleHome) throws -> TestAndroid { try TestAndroid(scene.home, app: scene.both) }

        @Test("Key attestation and token register one device, with the key's assurance, in either order")
        func accepted() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                for (index, isTurned) in [false, true].enumerated() {
                    let phone = try device(scene)
                    var request = try await request(scene, client, phone.key, isClassic: !isTurned)
                    if isTurned { request.evidence.reverse() }
                    let verdict = try await client.patiently(request)
                    #expect(verdict.outcome == "accepted", "\(verdict.detail)")
                    #expect(verdict.assurance == .hardware && verdict.simulated)
                    let names = verdict.claims.map(\.name)
                    #expect(names.contains { $0.hasSuffix("security_level") })
                    #expect(names.contains { $0.hasSuffix("device_recognition_verdict") })
                    #expect(
                        verdict.findings.contains { $0.check.hasSuffix("attested_app") }, "\(verdict.findings.map(\.check))")
                    #expect(try await client.status().store.devices == Int64(index + 1))
                    #expect(try await client.patiently(request).outcome == "challenge_reused")
                    // After that the key proves itself alone.
                    let challenge = try await phone.challenge(.assert, client)
                    let upload = try await client.patiently(try phone.upload(challenge))
                    #expect(upload.outcome == "accepted" && upload.deviceID == verdict.deviceID)
                }
            }
        }

        @Test("A token bound to another key, or to none, is refused")
        func otherKey() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                let (one, other) = (try device(scene).key, try device(scene).key)
                let classic = try await request(scene, client, one, boundTo: other.keyID)
                #expect(try await client.patiently(classic).outcome == "nonce_mismatch")
                let standard = try await request(scene, client, one, boundTo: other.keyID, isClassic: false)
                #expect(try await client.patiently(standard).outcome == "request_hash_mismatch")
                let challenge = try await scene.challenge(scene.both, .register, client)
                var unbound = try await request(scene, client, one)
                unbound.challenge = challenge
                #expect(try await client.patiently(unbound).outcome == "challenge_mismatch")
                let nowhere = try await request(scene, client, one) { payload in
                    payload["requestDetails", "nonce"] = .text(Base64.url.encode(challenge))
                }
                #expect(try await client.patiently(nowhere).outcome == "nonce_mismatch")
                #expect(try await client.status().store.devices == 0)
            }
        }

        @Test("A token for another app, or for a device below the requirements, is refused")
        func otherApp() async throws {
            let scene = try await GoogleHome()
            let changes: [(String, (inout JSONDraft) -> Void)] = [
                ("package_mismatch", { $0["requestDetails", "requestPackageName"] = .text("com.example.other") }),
                ("package_mismatch", { $0["appIntegrity", "packageName"] = .text("com.example.other") }),
                (
                    "signer_mismatch",
                    {
                        $0["appIntegrity", "certificateSha256Digest"] = .texts([
                            Base64.url.encode([UInt8](repeating: 9, count: 32))
                        ])
                    }
                ),
                ("device_verdict", { $0["deviceIntegrity", "deviceRecognitionVerdict"] = .texts([]) }),
                ("testing_response", { $0["testingDetails", "isTestingResponse"] = .boolean(true) }),
            ]
            try await scene.run { _, client in
                for (code, change) in changes {
                    let request = try await request(scene, client, try device(scene).key, edit: change)
                    #expect(try await client.patiently(request).outcome == code)
                }
                #expect(try await client.status().store.devices == 0)
            }
        }

        @Test("An app can require both, and the attestation's own failure comes first")
        func missing() async throws {
            let scene = try await GoogleHome()
            try await scene.run { _, client in
                for index in 0..<2 {
                    var request = try await request(scene, client, try device(scene).key)
                    request.evidence.remove(at: index)
                    #expect(try await client.patiently(request).outcome == "evidence_missing")
                }
                let unlocked = try TestAndroid(scene.home, app: scene.both) { $0.rootOfTrust = .unlocked }
                let both = try await request(scene, client, unlocked.key)
                #expect(try await client.patiently(both).outcome == "bootloader_unlocked")
                #expect(try await client.status().store.devices == 0)
            }
        }
    }
}
