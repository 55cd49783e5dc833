import AssayCore
import AssaySchemes
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Inspection of SafetyNet responses", .enabled(if: SharedVectors.folder != nil))
struct SafetyNetInspectionTests {
    private let response: [UInt8]
    private let nonce: [UInt8]

    init() throws {
        let file = try #require(SharedVectors.folder) + "/safetynet/safetynet-simplewebauthn-2021.json"
        let vector = try #require(try Vector(try Data(contentsOf: URL(fileURLWithPath: file))))
        response = Array(try #require(try vector.input.text("jws")).utf8)
        nonce = try #require(try vector.input.bytes("nonce_b64"))
    }

    private func inspect(_ bytes: [UInt8], nonce: [UInt8]? = nil, at time: String = "2021-07-30T12:40:16Z") throws -> Inspection
    {
        var input = InspectionInput(bytes: bytes, now: try #require(Timestamp(rfc3339: time)))
        input.clientData = nonce
        return Inspection(input)
    }

    @Test("A response is explained whole, and judged at the given time")
    func whole() throws {
        let inspection = try inspect(response, nonce: nonce)
        #expect(inspection.kind == .safetyNetResponse && inspection.explanation.firstProblem == nil)
        #expect(inspection.explanation.parts.count == 3)
        let time = inspection.explanation.fields.first { $0.name == "timestampMs" }
        #expect(time?.meaning.hasPrefix("by Google's clock 2021-07-30T12:40:") == true, "\(String(describing: time))")
        #expect(!inspection.findings.contains { $0.outcome == .fail } && inspection.findings.last?.check == "integrity")
        for finding in inspection.findings { #expect(inspection.meaning(of: finding.check) != nil, "\(finding.check)") }
        let late = try inspect(response, nonce: nonce, at: "2026-01-01T00:00:00Z").findings.filter { $0.outcome == .fail }
        #expect(late.map(\.code) == ["expired", "stale_timestamp"])
    }

    @Test("Without a nonce every other check is judged, and the missing one is named")
    func unbound() throws {
        let inspection = try inspect(response)
        #expect(inspection.notJudged == ["nonce"] && inspection.findings.last?.check == "integrity")
    }

    @Test("The place where a response breaks is shown")
    func broken() throws {
        let inspection = try inspect(response + Array("!".utf8), nonce: nonce)
        #expect(inspection.explanation.firstProblem?.code.builtIn == .malformedToken)
        #expect(inspection.findings.last?.code == "malformed_token")
    }
}
