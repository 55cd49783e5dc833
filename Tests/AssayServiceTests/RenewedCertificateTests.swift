import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

/// What becomes of renewed certificates when the one before them is revoked.
@Suite("Renewed certificates")
struct RenewedCertificateTests {
    private static func harness() async throws -> ServiceHarness {
        let profile = AppProfile(
            id: .camera, verifiers: [StandInSignatureVerifier()] + Array(try AppProfile.testing(.camera).verifiers.values),
            policyDigest: [UInt8](repeating: 0xD1, count: 32), acceptsSimulated: true, issuing: IssuingRule())
        return try await ServiceHarness([profile])
    }

    /// A certificate of a new phone.
    private static func issue(_ harness: ServiceHarness) async throws -> Assay_V1_DeviceCertificate {
        let csr = StandInAuthority.csr(Array(P256.Signing.PrivateKey().publicKey.derRepresentation))
        let challenge = try await harness.challenge(.provision)
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payload: csr))
        let evidence = try #require(try Handset().attestation(over: data.hash).message)
        let response = try await harness.call(
            API.issueCertificate,
            .with {
                $0.app = AppID.camera.text
                $0.challenge = Data(challenge)
                $0.evidence = [evidence]
                $0.payloadSha256 = Data(ClientData.payloadHash(csr))
                $0.csr = Data(csr)
            })
        try #require(response.verdict.isAccepted, "\(response.verdict.reason)")
        return response.certificate
    }

    private static func renew(
        _ harness: ServiceHarness, _ certificate: Assay_V1_DeviceCertificate
    ) async throws -> Assay_V1_DeviceCertificate {
        let response = try await harness.renew(Array(certificate.keyID))
        try #require(response.verdict.isAccepted, "\(response.verdict.reason): \(response.verdict.detail)")
        return response.certificate
    }

    private static func revoke(
        _ harness: ServiceHarness, _ certificate: Assay_V1_DeviceCertificate, _ reason: Assay_V1_RevocationReason
    ) async throws -> Assay_V1_RevokeCertificateResponse {
        try await harness.call(
            API.revokeCertificate,
            .with {
                $0.app = AppID.camera.text
                $0.serial = certificate.serial
                $0.reason = reason
            })
    }

    private static func good(_ harness: ServiceHarness) async throws -> [Assay_V1_DeviceCertificate] {
        try await harness.call(
            API.listCertificates,
            .with {
                $0.app = AppID.camera.text
                $0.state = .good
            }
        ).certificates
    }

    @Test("A renewed certificate names the one before it, in the answer and on record")
    func origin() async throws {
        let harness = try await Self.harness()
        let first = try await Self.issue(harness)
        let second = try await Self.renew(harness, first)
        #expect(!first.hasRenewedFrom && second.renewedFrom == first.name)
        let found = try await harness.call(
            API.getCertificate,
            .with {
                $0.app = AppID.camera.text
                $0.serial = second.serial
            })
        #expect(found == second)
        #expect(try await Self.good(harness) == [first, second])
    }

    @Test("A revocation for key compromise revokes what was renewed from the certificate, and says so; another reason does not")
    func compromise() async throws {
        let harness = try await Self.harness()
        let first = try await Self.issue(harness)
        let second = try await Self.renew(harness, first)
        let third = try await Self.renew(harness, second)
        let stranger = try await Self.issue(harness)
        let superseded = try await Self.revoke(harness, first, .superseded)
        #expect(!superseded.wasRevoked && superseded.alsoRevokedCount == 0 && superseded.alsoRevoked.isEmpty)
        #expect(try await Self.good(harness) == [second, third, stranger])
        let compromised = try await Self.revoke(harness, first, .keyCompromise)
        #expect(compromised.wasRevoked && compromised.certificate.revocation.reason == .superseded)
        #expect(compromised.alsoRevokedCount == 2 && compromised.alsoRevoked == [second.name, third.name])
        #expect(try await Self.good(harness) == [stranger])
        let again = try await Self.revoke(harness, first, .keyCompromise)
        #expect(again.wasRevoked && again.alsoRevokedCount == 0)
        let refused = try await harness.renew(Array(third.keyID))
        #expect(refused.verdict.reason == "revoked" && !refused.hasCertificate)
    }

    @Test("All of more renewed certificates than one transaction revokes are revoked, counted, and the first 1000 listed")
    func many() async throws {
        let harness = try await Self.harness()
        let first = try await Self.issue(harness)
        let origin = try #require(try await harness.ledger.certificate(ofKey: Array(first.keyID), app: .camera))
        let entries = (0..<1001).map { _ in
            let certificate = DeviceCertificate(
                name: CertificateName(issuer: StandInAuthority.issuer, serial: [2] + SecureRandom.bytes(15)), app: .camera,
                device: origin.device, keyID: SecureRandom.bytes(32), notBefore: origin.notBefore, notAfter: origin.notAfter,
                issuedAt: origin.issuedAt, basis: origin.basis, der: [], renewedFrom: origin.name)
            return LedgerEntry(
                time: ServiceHarness.opening, spends: [],
                audit: AuditRecord(
                    requestID: SecureRandom.bytes(16), caller: "test", app: .camera, purpose: .renew, device: origin.device,
                    assurance: .software, evidenceDigest: [], policyDigest: [], simulated: false),
                certification: .init(issues: certificate))
        }
        #expect(try await harness.ledger.commit(entries).allSatisfy { $0 == .committed })
        let answer = try await Self.revoke(harness, first, .keyCompromise)
        #expect(!answer.wasRevoked && answer.alsoRevokedCount == 1001 && answer.alsoRevoked.count == 1000)
        #expect(Set(answer.alsoRevoked).count == 1000)
        #expect(try await Self.good(harness) == [])
    }
}

extension Assay_V1_DeviceCertificate {
    fileprivate var name: Assay_V1_CertificateName {
        .with { ($0.issuerSpkiSha256, $0.serial) = (issuerSpkiSha256, serial) }
    }
}
