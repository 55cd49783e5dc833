import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Issued certificate")
struct SignedCertificateTests {
    private static let verdict = Verdict(
        decision: .accepted(.hardware),
        findings: [.pass("csr"), .note("key", "key_attested", "the platform attested the key")],
        claims: Claims([.init(name: "os", value: .text("27"))]), device: DeviceID(bytes: bytes(16, 3)),
        binding: Binding(embedded: [1, 2]), evidenceDigest: bytes(32, 4), policyDigest: bytes(32, 5), feeds: [],
        simulated: true, requestID: bytes(16, 6), decidedAt: Timestamp(unixMilliseconds: 1234))

    private func certificate(
        simulated: Bool, renewedFrom: CertificateName? = nil, revocation: CertificateRevocation? = nil
    ) throws -> DeviceCertificate {
        DeviceCertificate(
            name: CertificateName(issuer: bytes(32, 7), serial: bytes(16, 8)), app: try #require(AppID("camera")),
            device: try #require(DeviceID(bytes: bytes(16, 9))), keyID: bytes(32, 10),
            notBefore: Timestamp(unixMilliseconds: 1),
            notAfter: Timestamp(unixMilliseconds: 2_000_000_000_000), issuedAt: Timestamp(unixMilliseconds: 3),
            basis: CertificateBasis(
                assurance: .hardware, protection: .vouched, platform: .appAttestAttestation, policyDigest: bytes(32, 11),
                simulated: simulated), der: bytes(800, 12), renewedFrom: renewedFrom, revocation: revocation)
    }

    @Test("has the bytes of the message that the generated code writes", arguments: [false, true], [false, true])
    func message(simulated: Bool, repeated: Bool) throws {
        let certificates = [
            try certificate(simulated: simulated),
            try certificate(
                simulated: simulated, renewedFrom: CertificateName(issuer: bytes(32, 13), serial: [1]),
                revocation: CertificateRevocation(.superseded, at: Timestamp(unixMilliseconds: 5))),
            try certificate(
                simulated: simulated, revocation: CertificateRevocation(.unspecified, at: Timestamp(unixMilliseconds: 0))),
        ]
        for certificate in certificates {
            let signed = SignedCertificate(certificate: certificate, chain: [bytes(700, 14), bytes(600, 15)])
            let message = try Assay_V1_IssueCertificateResponse.with {
                $0.verdict = try Assay_V1_Verdict(serializedBytes: Self.verdict.serialized(repeated: repeated))
                $0.certificate = certificate.message
                $0.chain = [Data(count: 700, of: 14), Data(count: 600, of: 15)]
            }
            let expected: [UInt8] = try message.serializedBytes()
            #expect(signed.serialized(on: Self.verdict, repeated: repeated) == expected)
        }
    }

    @Test("that was refused has its verdict alone")
    func refused() throws {
        let message = try Assay_V1_IssueCertificateResponse.with {
            $0.verdict = try Assay_V1_Verdict(serializedBytes: Self.verdict.serialized())
        }
        let expected: [UInt8] = try message.serializedBytes()
        #expect(Self.verdict.serializedWithoutCertificate() == expected)
    }
}
