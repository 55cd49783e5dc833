import AssayCore
import Foundation
import Testing

@Suite("Reason codes of App Attest")
struct ReasonCodeCoverageTests {
    /// The codes of the tables of checks in `docs/reference/verifiers/app-attest.md`: the words in backticks in their last column.
    static func documented() throws -> Set<String> {
        let page = URL(filePath: #filePath).appending(path: "../../../../docs/reference/verifiers/app-attest.md").standardized
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        var codes: Set<String> = []
        var isTable = false
        for line in lines {
            if line.hasPrefix("## ") { isTable = line.hasSuffix("checks in order") }
            guard isTable, line.hasPrefix("| `"), let last = line.split(separator: "|").last(where: { $0 != " " }) else {
                continue
            }
            for (index, part) in last.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where index % 2 == 1 {
                codes.insert(String(part))
            }
        }
        return codes
    }

    @Test("The page lists exactly the codes that simulated evidence produces")
    func documentedAndReached() throws {
        let documented = try Self.documented()
        #expect(documented.count > 30)
        for code in documented { #expect(ReasonCode(rawValue: code) != nil, "the page names the code \(code)") }
        let given =
            try AttestationCase.all.map { try $0.appraise() } + AssertionCase.all.map { try $0.appraise() }
            + ReceiptCase.all.map { try $0.appraise() }
        let reached = Set(given.compactMap { $0.failure?.code })
        #expect(documented.subtracting(reached) == [], "documented and never given")
        #expect(reached.subtracting(documented) == [], "given and not documented")
    }

    @Test("Every row of the tables has a case")
    func rows() {
        let rows = Set(AttestationCase.all.map(\.row) + AssertionCase.all.map(\.row) + ReceiptCase.all.map(\.row))
        // 40 and 41 concern the challenge and the ledger; 49 is a test of its own; 64 and 65 concern Apple's services.
        let expected = Set(1...39).union(42...48).union(50...63).union([0, 66])
        #expect(rows == expected)
    }
}
