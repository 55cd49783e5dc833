import AssayCore
import Foundation
import Testing

@testable import AssayResults

/// What docs/reference/results.md says of shapes, limits and problems is what the code has.
@Suite("The page about results")
struct PageTests {
    private let page: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        page = try String(contentsOf: root.appending(path: "docs/reference/results.md"), encoding: .utf8)
    }

    private func row(_ name: String) throws -> String {
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("| `\(name)` |") }
        return String(try found(lines.first, "a row for \(name)"))
    }

    @Test("Each shape has a row with its type and the version of its text", arguments: ResultShape.allCases)
    func shapes(_ shape: ResultShape) throws {
        let row = try row(shape.rawValue)
        #expect(row.contains("`\(ResultProfiles.type(of: shape))`"))
        #expect(row.contains("| \(ResultProfiles.version(of: shape))"))
        #expect(row.contains("COSE") == shape.isBinary)
    }

    @Test("Each limit and each problem has a row")
    func words() throws {
        for limit in VerdictLimit.allCases { #expect(throws: Never.self) { try row(limit.rawValue) } }
        for problem in ResultProblem.allCases { #expect(throws: Never.self) { try row(problem.rawValue) } }
    }

    @Test("The profile, the vector's text and that of status lists are named with their versions")
    func versions() {
        #expect(page.contains("`\(ResultProfiles.ear)`"))
        #expect(page.contains(ResultProfiles.trustVector))
        #expect(page.contains(ResultProfiles.statusList))
    }

    @Test("The table of vectors has the values that the code gives")
    func vectors() throws {
        let rows: [(String, [EvidenceFormat], Assurance)] = [
            ("App Attest, `secure_element`", [.appAttestAssertion], .secureElement),
            ("Android key attestation or a signature by its key", [.keySignature], .hardware),
            ("Play Integrity, `platform`", [.playIntegrity], .platform),
            ("Play Integrity, `software`; SafetyNet", [.safetyNet], .software),
            ("DeviceCheck, `platform`", [.deviceCheck], .platform),
            ("certificate of a device", [.certificateBundle], .hardware),
            ("a plugin's evidence, `secure_element`", [EvidenceFormat(rawValue: "example.plugin")], .hardware),
            ("a plugin's evidence, `platform`", [EvidenceFormat(rawValue: "example.plugin")], .platform),
            ("a plugin's evidence, `software`", [EvidenceFormat(rawValue: "example.plugin")], .software),
        ]
        let columns: [TrustVector.Entry] = [.instanceIdentity, .executables, .hardware, .storageOpaque]
        for (name, formats, assurance) in rows {
            let line = try found(page.split(separator: "\n").first { $0.hasPrefix("| \(name)") }, name)
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            let vector = TrustVector(formats: formats, assurance: assurance)
            let stated = columns.map { vector.stated.contains($0) ? "\(vector[$0])" : "" }
            #expect(Array(cells[2...5]) == stated, "\(name)")
            #expect(cells[6] == "\(vector.status.name)", "\(name)")
        }
    }
}
