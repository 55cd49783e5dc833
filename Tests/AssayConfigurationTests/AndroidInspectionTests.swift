import AssayCore
import AssaySchemes
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Inspection of Android chains", .enabled(if: SharedVectors.folder != nil))
struct AndroidInspectionTests {
    /// The certificates of a vector as one file of PEM, its challenge, and its time.
    private func input(_ id: String) throws -> InspectionInput {
        let file = URL(fileURLWithPath: try #require(SharedVectors.folder) + "/key-attestation/\(id).json")
        let vector = try #require(try Vector(try Data(contentsOf: file)))
        var input = InspectionInput(
            bytes: Array(try #require(try vector.input.texts("chain_pem")).joined(separator: "").utf8), now: vector.verifyAt)
        input.clientData = try vector.input.bytes("challenge_b64")
        return input
    }

    @Test("Each certificate and the key description are explained and checked, with the meaning of each check")
    func whole() throws {
        let inspection = Inspection(try input("google-caiman-sdk36-sb-ec-rkp"))
        #expect(inspection.kind == .keyAttestation && inspection.explanation.firstProblem == nil)
        #expect(inspection.explanation.parts.count { $0.title.hasPrefix("certificate ") } == 5)
        let description = try #require(inspection.explanation.parts.last)
        #expect(description.title == "key description of certificate 0" && description.parts.count == 2)
        let hardware = try #require(description.parts.last)
        #expect(hardware.fields.first { $0.name == "purposes" }?.meaning == "sign, verify")
        #expect(hardware.fields.first { $0.name == "ec_curve" }?.meaning == "P-256")
        #expect(inspection.findings.count > 30 && inspection.isGood && !inspection.findings.contains { $0.outcome == .fail })
        for finding in inspection.findings { #expect(inspection.meaning(of: finding.check) != nil, "\(finding.check)") }
        #expect(inspection.notJudged == ["revocation", "attested_app"])
    }

    @Test("Without client data the other checks continue, and a given revocation list is checked")
    func withoutClientData() throws {
        var input = try input("warden-pixel6")
        input.clientData = nil
        input.revocation = try RevocationList.snapshot(of: Array(#"{"entries": {}}"#.utf8))
        let inspection = Inspection(input)
        #expect(inspection.notJudged == ["challenge", "attested_app"])
        #expect(inspection.findings.contains { $0.check == "revocation" && $0.outcome == .pass })
        #expect(inspection.findings.contains { $0.check == "key_origin" && $0.outcome == .pass })
    }

    @Test("A forged certificate below an attested key is shown with both descriptions")
    func forged() throws {
        let inspection = Inspection(try input("google2023-fake-cert-chain-with-attest-keys"))
        #expect(inspection.explanation.parts.filter { $0.title.hasPrefix("key description") }.count > 1)
        #expect(inspection.findings.first { $0.outcome == .fail }?.code == "chain_extended")
    }

    @Test("An app's policy is applied")
    func app() throws {
        let text = AndroidConfigurationTests.text()
        let configuration = try Configuration.parse(text, file: "assayd.yaml", folder: "/nowhere")
        let inspection = Inspection(try input("warden-pixel6"), under: configuration.apps.first)
        #expect(inspection.findings.first { $0.outcome == .fail }?.code == "package_mismatch")
    }
}
