import AssayCertificates
import AssayCore
import AssaySchemes
import AssaySimulator
import Testing

@testable import AppAttest

@Suite("App Attest inspectors")
struct AppAttestInspectorTests {
    private static let inspectors = AppAttestScheme.inspectors

    /// The kinds that recognise the bytes, in order.
    private func kinds(of bytes: [UInt8]) -> [String] {
        Self.inspectors.filter { $0.recognition.holds(for: bytes) }.map(\.kind.rawValue)
    }

    @Test("Attestations, assertions and receipts are recognised, and other bytes are not")
    func recognition() throws {
        var phone = Sample.phone()
        var key = phone.makeKey()
        #expect(kinds(of: try Sample.attest(key).body) == ["app-attest.attestation"])
        #expect(kinds(of: try Sample.assert(&key).body) == ["app-attest.assertion"])
        let message: [UInt8] = [0x30, 0x80, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        #expect(kinds(of: message) == ["app-attest.receipt"])
        #expect(kinds(of: [0] + message) == [])
        for other in [[], [0x30, 0x03, 0x02, 0x01, 0x00], Array("eyJhbGciOiJSUzI1NiJ9".utf8)] {
            #expect(kinds(of: other) == [])
        }
    }

    @Test("An attestation is judged by the platform's own checks, or under the section of an app")
    func attestation() throws {
        var phone = Sample.phone()
        let key = phone.makeKey()
        let inspector = AttestationInspector()
        var input = InspectionInput(bytes: try Sample.attest(key).body, now: Sample.now)
        func outcome(_ check: String, _ sections: [String: any SchemeSection] = [:]) throws -> Finding {
            let subject = InspectionSubject(sections: sections, testRoots: try Sample.anchors())
            let findings = inspector.judge(input, for: subject).findings
            return try #require(findings.first { $0.check == check })
        }
        #expect(try outcome("chain_signatures").outcome == .pass)
        #expect(try outcome("nonce").code == Finding.notJudged && outcome("key_id").code == Finding.notJudged)
        #expect(try outcome("app_id").code == Finding.notJudged)
        (input.clientDataHash, input.keyID) = (Sample.clientDataHash, key.keyID)
        #expect(try outcome("nonce").outcome == .pass && outcome("key_id").outcome == .pass)
        let own = AppAttestSection(identities: [Sample.identity()], policy: AppAttestPolicy())
        let other = AppAttestSection(identities: [Sample.identity(Sample.otherAppID)], policy: AppAttestPolicy())
        #expect(try outcome("app_id", ["app_attest": own]).outcome == .pass)
        #expect(try outcome("app_id", ["app_attest": other]).outcome == .fail)
    }

    @Test("Each check of genuine evidence has a meaning, also those of the chains")
    func meanings() throws {
        var phone = Sample.phone()
        let key = phone.makeKey()
        let subject = InspectionSubject(testRoots: try Sample.anchors())
        let inspector = AttestationInspector()
        let input = InspectionInput(bytes: try Sample.attest(key).body, now: Sample.now)
        let checks = inspector.judge(input, for: subject).findings.map(\.check)
        #expect(checks.contains("chain_anchor") && checks.contains("receipt_chain_algorithms"))
        for check in checks { #expect(inspector.meaning(of: check) != nil, "\(check)") }
        #expect(inspector.meaning(of: "receipt_chain_anchor") == inspector.meaning(of: "chain_anchor"))
        #expect(inspector.meaning(of: "weather") == nil)
    }
}
