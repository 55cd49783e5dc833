import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySchemes
import AssaySimulator
import Testing

@testable import AndroidKeyAttestation

@Suite("Inspection of Android chains", .enabled(if: SharedVector.folder != nil))
struct KeyAttestationInspectorTests {
    private let vector: SharedVector
    private let input: InspectionInput

    init() throws {
        vector = try #require(try SharedVector("google-caiman-sdk36-sb-ec-rkp"))
        let pem = vector.certificates.map { PEM.encode($0) }.joined()
        input = InspectionInput(bytes: Array(pem.utf8), now: vector.time)
    }

    @Test("Chains with a key description are recognised; other certificates are not")
    func recognition() throws {
        guard case .beginning(let isChain) = KeyAttestationInspector().recognition else {
            Issue.record("chains are recognised by their beginning")
            return
        }
        #expect(isChain(input.bytes))
        #expect(!isChain(Array(PEM.encode(try #require(vector.certificates.last)).utf8)) && !isChain([]))
    }

    @Test("Without an app and a list, a chain is judged but for its app, its challenge and its revocation")
    func noApp() {
        let result = KeyAttestationInspector().judge(input, for: InspectionSubject())
        let left = result.findings.filter { $0.code == Finding.notJudged || $0.outcome == .unavailable }.map(\.check)
        #expect(Set(left) == ["attested_app", "challenge", "revocation"], "\(left)")
    }

    @Test("An app without a list has chains inspected without one")
    func noList() {
        let section = AndroidKeyAttestationSection(policy: AndroidPolicy(apps: nil), revocation: .none)
        let subject = InspectionSubject(sections: ["android": section])
        let finding = KeyAttestationInspector().judge(input, for: subject).findings.first { $0.check == "revocation" }
        #expect(finding?.outcome == .note)
    }
}

@Suite("Inspection of simulated Android chains")
struct SimulatedChainInspectionTests {
    @Test("A key usage that breaks DER is shown with its names where no check reads it, and the chain is good")
    func keyUsage() throws {
        var attestation = SampleAttestation()
        attestation.changes = .genuine.certificate(1) { certificate in
            certificate[ExtensionName.keyUsage] = .init(ExtensionName.keyUsage, critical: true, [0x03, 0x03, 0x07, 0x80, 0x00])
        }
        #expect(try attestation.appraise().outcome == "accepted")
        let chain = try attestation.chain().certificates
        let explanation = KeyAttestationExplanation.chain(chain, of: [])
        #expect(explanation.firstProblem == nil)
        let fields = explanation.parts.flatMap(\.fields).filter { $0.name == "key_usage" }
        #expect(
            fields.contains { $0.value == .text("digitalSignature; with trailing zero bits, which DER does not allow") },
            "\(fields)")
    }

    @Test("A malformed statement ends the checks with the sentence that its description shows beside all others")
    func malformed() throws {
        var attestation = SampleAttestation()
        attestation.changes = .genuine.description { $0.hardware[.rootOfTrust] = DERWriter.octetString([1]) }
        let failure = try #require(try attestation.appraise().failure)
        #expect(failure.check == "key_description" && failure.code == "malformed_extension")
        let explanation = KeyAttestationExplanation.chain(try attestation.chain().certificates, of: [])
        #expect(explanation.firstProblem?.detail == failure.detail)
        #expect(failure.detail.hasPrefix("hardware-enforced [704] root_of_trust: an OCTET STRING where a SEQUENCE is due"))
    }
}
