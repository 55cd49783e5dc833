import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@testable import CertificateBundle

/// A signature by a certificate's key, with which the certificate is renewed.
@Suite("Signatures that renew a certificate")
struct CertificateSignatureTests {
    private static let clientData: [UInt8] = Array("assay1".utf8) + (0..<87).map { UInt8($0) }
    private let fleet: Fleet

    init() throws { fleet = try Fleet() }

    private func judge(
        _ evidence: Evidence, record: DeviceCertificate?, device: Device? = nil, issuers: Set<[UInt8]>? = nil,
        now: Timestamp = Fleet.now
    ) -> Appraisal {
        CertificateSignatureVerifier(
            judges: [FleetDeviceAppraiser()], issuers: issuers ?? [record?.name.issuer ?? []]
        ).appraise(
            evidence,
            in: AppraisalContext(
                binding: Binding(embedded: Self.clientData),
                facts: Facts(device: device ?? fleet.device(), certificate: record), now: now))
    }

    private func evidence(
        _ key: TestKey, algorithm: KeySignatureAlgorithm? = nil, over message: [UInt8] = clientData
    ) throws -> Evidence {
        let signature = try key.sign(message, by: algorithm ?? key.usualScheme)
        return Evidence(
            format: .certificateSignature, keyID: key.subjectPublicKeyInfoDigest,
            parts: [[(algorithm ?? key.usualScheme).rawValue], signature[...]])
    }

    @Test("A signature by the certificate's key over the client data is accepted, on P-256 and P-384")
    func accepted() throws {
        let wide = try TestKey(.p384, seed: "fleet", label: "wide")
        for (key, algorithm) in [
            (TestKey(fleet.camera.key), .ecdsaP256SHA256), (wide, .ecdsaP384SHA384), (wide, .ecdsaP384SHA256),
        ] as [(TestKey, KeySignatureAlgorithm)] {
            let record = try fleet.record(of: try fleet.certificate { $0.subjectPublicKeyInfo = key.subjectPublicKeyInfo })
            let evidence = try evidence(key, algorithm: algorithm)
            let verifier = CertificateSignatureVerifier(judges: [], issuers: [])
            #expect(verifier.purposes == [.renew])
            let needs = try verifier.locate(evidence)
            #expect(needs.certificate == .key(key.subjectPublicKeyInfoDigest) && needs.deviceKeyID == nil)
            let appraisal = judge(evidence, record: record)
            #expect(appraisal.outcome == "accepted" && appraisal.assurance == .hardware)
            #expect(appraisal.restsOn == record.name)
            #expect(judge(try self.evidence(key, algorithm: algorithm, over: [1]), record: record).outcome == "bad_signature")
        }
    }

    @Test("A revoked, expired or unknown certificate, or one of another key or device, is not renewed")
    func refused() throws {
        let key = TestKey(fleet.camera.key)
        let der = try fleet.certificate()
        let evidence = try evidence(key)
        #expect(judge(evidence, record: nil).outcome == "unknown_certificate")
        #expect(judge(evidence, record: try fleet.record(of: der, revoked: .superseded)).outcome == "revoked")
        #expect(judge(evidence, record: try fleet.record(of: der, device: .random())).outcome == "unknown_device")
        let record = try fleet.record(of: der)
        let after = record.notAfter.adding(milliseconds: 1)
        #expect(judge(evidence, record: record, now: record.notAfter).outcome == "accepted")
        #expect(judge(evidence, record: record, now: after).outcome == "expired")
        #expect(judge(evidence, record: record, device: fleet.device(format: .keyAttestation)).outcome == "unknown_device")
        let other = try TestKey(.p256, seed: "fleet", label: "other")
        #expect(judge(try self.evidence(other), record: record).outcome == "unknown_certificate")
        let forged = Evidence(
            format: .certificateSignature, keyID: key.subjectPublicKeyInfoDigest,
            parts: [[1], try other.sign(Self.clientData, by: .ecdsaP256SHA256)[...]])
        #expect(judge(forged, record: record).outcome == "bad_signature")
    }

    @Test("A certificate whose bytes were deleted with its device is revoked if it was, and otherwise unknown")
    func deleted() throws {
        let evidence = try evidence(TestKey(fleet.camera.key))
        for (reason, code) in [(.superseded, "revoked"), (nil, "unknown_certificate")] as [(RevocationReason?, String)] {
            let record = try fleet.record(of: try fleet.certificate(), revoked: reason, isDeleted: true)
            let appraisal = judge(evidence, record: record)
            #expect(appraisal.outcome == code && appraisal.failure?.check == "certificate_record")
            // The key of another certificate tells nothing about this one.
            let other = try self.evidence(try TestKey(.p256, seed: "fleet", label: "other"))
            #expect(judge(other, record: record).outcome == "unknown_certificate")
        }
    }

    @Test("A certificate of a CA that is not in the configuration is not renewed, as its bundles are not accepted")
    func formerAuthority() throws {
        let record = try fleet.record(of: try fleet.certificate())
        let evidence = try evidence(TestKey(fleet.camera.key))
        for issuers in [[], [[UInt8](repeating: 1, count: 32)]] as [Set<[UInt8]>] {
            #expect(judge(evidence, record: record, issuers: issuers).outcome == "untrusted_root")
        }
        #expect(judge(evidence, record: record, issuers: [record.name.issuer, [1]]).outcome == "accepted")
    }

    @Test("Other evidence than an algorithm of the key and a DER signature is refused")
    func form() throws {
        let record = try fleet.record(of: try fleet.certificate())
        let keyID = TestKey(fleet.camera.key).subjectPublicKeyInfoDigest
        let signature = try fleet.camera.key.sign(Self.clientData, hash: .sha256)
        func outcome(_ parts: [[UInt8]]) -> String {
            judge(
                Evidence(format: .certificateSignature, keyID: keyID, parts: parts.map { $0[...] }), record: record
            ).outcome
        }
        #expect(outcome([[1], signature.der]) == "accepted")
        #expect(outcome([[1], signature.raw]) == "bad_signature")
        #expect(outcome([[1]]) == "bad_signature" && outcome([[], signature.der]) == "bad_signature")
        #expect(outcome([[2], signature.der]) == "unsupported_algorithm")
        #expect(outcome([[99], signature.der]) == "unsupported_algorithm")
        #expect(outcome([[1], [UInt8](repeating: 0x30, count: 300)]) == "evidence_too_large")
    }
}
