import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssayService
import AssaySimulator
import AssayTesting
import KeySignature
import Testing

/// An app of both platforms can be sent evidence of an iPhone and of an Android device in one request. A verdict names one
/// device, and so do the audit record, the ledger's last look at blocks and the verdict that is kept for a repetition: a second
/// device would slip past all of them.
@Suite("Evidence of several devices")
struct SeveralDevicesTests {
    private func harness() async throws -> ServiceHarness {
        let policy = AndroidPolicy.testing
        let roots = try AndroidAuthority.Root.allCases.map {
            try TrustAnchor(name: $0.rawValue, pem: try VirtualAndroid.authority.pem($0), simulated: true)
        }
        let apple = [try TrustAnchor(name: "test root", pem: Handset.authority.rootPEM, simulated: true)]
        let identities = [AppAttestIdentity(appID: Handset.appID, platform: .iOS)]
        return try await ServiceHarness([
            AppProfile(
                id: .camera,
                verifiers: [
                    KeyAttestationVerifier(anchors: roots, policy: policy, links: LinkCache()),
                    KeySignatureVerifier(judges: [AndroidDeviceAppraiser(anchors: roots, policy: policy)]),
                    AppAttestAttestationVerifier(
                        identities: identities, anchors: apple, receiptAnchors: apple, policy: AppAttestPolicy(),
                        links: LinkCache()),
                    AppAttestAssertionVerifier(identities: identities, anchors: apple, policy: AppAttestPolicy()),
                ], policyDigest: [UInt8](repeating: 0xD1, count: 32), acceptsSimulated: true)
        ])
    }

    @Test("registers neither, in either order", arguments: [false, true])
    func registrations(androidFirst: Bool) async throws {
        let harness = try await harness()
        let challenge = try await harness.challenge(.register)
        let data = try #require(ClientData(purpose: .register, challenge: challenge))
        var phone = VirtualAndroid.testing()
        let apple = try Handset().attestation(over: data.hash)
        var request = try phone.makeKey().registration(challenge)
        request.evidence = androidFirst ? request.evidence + [apple] : [apple] + request.evidence
        let verdict = try await harness.verify(request)
        #expect(verdict.rejection == .deviceMismatch && verdict.check == "registry" && verdict.deviceID.isEmpty)
        #expect(try await harness.ledger.status().devices == 0 && harness.ledger.memory.auditLog.isEmpty)
        // Nothing was spent: either alone is good.
        request.evidence = [apple]
        #expect(try await harness.verify(request).isAccepted)
        #expect(harness.ledger.memory.auditLog.count == 1)
    }

    @Test("proves nothing, in either order", arguments: [false, true])
    func assertions(androidFirst: Bool) async throws {
        let harness = try await harness()
        var (handset, iPhone) = try await harness.enrol()
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        #expect(try await harness.verify(try key.registration(try await harness.challenge(.register))).isAccepted)
        let challenge = try await harness.challenge(.assert)
        let data = try #require(ClientData(purpose: .assert, challenge: challenge))
        let pieces = [try handset.assertion(over: data.hash), try key.signature(over: data.bytes)]
        let verdict = try await harness.verify(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: challenge, evidence: androidFirst ? pieces.reversed() : pieces))
        #expect(verdict.rejection == .deviceMismatch && verdict.check == "registry")
        #expect(try await harness.ledger.device(iPhone)?.counter == 0 && harness.ledger.memory.auditLog.count == 2)
    }
}
