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
    private func house() async throws -> House {
        let policy = AndroidPolicy.testing
        let roots = try AndroidAuthority.Root.allCases.map {
            try TrustAnchor(name: $0.rawValue, pem: try VirtualAndroid.authority.pem($0), simulated: true)
        }
        let apple = [try TrustAnchor(name: "test root", pem: Handset.authority.rootPEM, simulated: true)]
        let identities = [AppAttestIdentity(appID: Handset.appID, platform: .iOS)]
        return try await House([
            AppProfile(
                id: .camera,
                verifiers: [
                    KeyAttestationVerifier(anchors: roots, policy: policy, links: LinkCache()),
                    KeySignatureVerifier(judges: [AndroidDeviceJudge(anchors: roots, policy: policy)]),
                    AppAttestAttestationVerifier(
                        identities: identities, anchors: apple, receiptAnchors: apple, policy: AppAttestPolicy(),
                        links: LinkCache()),
                    AppAttestAssertionVerifier(identities: identities, anchors: apple, policy: AppAttestPolicy()),
                ], policyDigest: [UInt8](repeating: 0xD1, count: 32), acceptsSimulated: true)
        ])
    }

    @Test("registers neither, whichever comes first", arguments: [false, true])
    func registrations(androidFirst: Bool) async throws {
        let house = try await house()
        let challenge = try await house.challenge(.register)
        let data = try #require(ClientData(purpose: .register, challenge: challenge))
        var phone = VirtualAndroid.testing()
        let apple = try Handset().attestation(over: data.hash)
        var request = try phone.makeKey().registration(challenge)
        request.evidence = androidFirst ? request.evidence + [apple] : [apple] + request.evidence
        let verdict = try await house.verify(request)
        #expect(verdict.rejection == .deviceMismatch && verdict.check == "registry" && verdict.deviceID.isEmpty)
        #expect(try await house.ledger.status().devices == 0 && house.ledger.memory.auditLog.isEmpty)
        // Nothing was spent: either alone is good.
        request.evidence = [apple]
        #expect(try await house.verify(request).isAccepted)
        #expect(house.ledger.memory.auditLog.count == 1)
    }

    @Test("proves nothing, whichever comes first", arguments: [false, true])
    func assertions(androidFirst: Bool) async throws {
        let house = try await house()
        var (handset, iPhone) = try await house.enrol()
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        #expect(try await house.verify(try key.registration(try await house.challenge(.register))).isAccepted)
        let challenge = try await house.challenge(.assert)
        let data = try #require(ClientData(purpose: .assert, challenge: challenge))
        let pieces = [try handset.assertion(over: data.hash), try key.signature(over: data.bytes)]
        let verdict = try await house.verify(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: challenge, evidence: androidFirst ? pieces.reversed() : pieces))
        #expect(verdict.rejection == .deviceMismatch && verdict.check == "registry")
        #expect(try await house.ledger.device(iPhone)?.counter == 0 && house.ledger.memory.auditLog.count == 2)
    }
}
