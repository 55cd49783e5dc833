import AssayCore
import AssaySimulator
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Files of certificates")
struct CertificateFileTests {
    private func chain() throws -> [[UInt8]] {
        var device = VirtualAndroid(
            authority: AndroidAuthority(seed: "host tests"),
            application: AttestedApplicationDraft(TestAndroid.package, signer: TestAndroid.signer), seed: "file")
        return try device.makeKey().attest(challenge: [1], at: Timestamp(unixSeconds: 1_800_000_000))
    }

    @Test("PEM and DER are read, one certificate after the other")
    func forms() throws {
        let chain = try chain()
        #expect(try CertificateFile.read(Array(AndroidKey.pem(chain).utf8)) == chain)
        #expect(try CertificateFile.read(Array(chain.joined())) == chain)
        #expect(try CertificateFile.read([]).isEmpty)
    }

    @Test("Cut files, and files with other content, are refused")
    func broken() throws {
        let bytes = Array(try chain().joined())
        for broken in [Array(bytes.dropLast()), bytes + [0], [0x04, 0x01, 0x00], Array("-----BEGIN CERTIFICATE-----\n".utf8)] {
            #expect(throws: Rejection.self) { try CertificateFile.read(broken) }
        }
        #expect(throws: Rejection.self) { try CertificateFile.read([UInt8](repeating: 0x30, count: 3) + bytes) }
        #expect(throws: Rejection.self) {
            try CertificateFile.read(Array(repeatElement([0x30, 0x00] as [UInt8], count: 65).joined()))
        }
    }
}
