import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySchemes
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
