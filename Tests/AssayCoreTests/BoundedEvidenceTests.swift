import AssayCore
import Testing

@Suite("Bounded evidence")
struct BoundedEvidenceTests {
    private let context = AppraisalContext(binding: Binding(callerOwned: [1]), now: Timestamp(unixSeconds: 1))

    private func evidence(_ size: Int) -> Evidence {
        Evidence(format: TenBytes.format, keyID: [], body: [UInt8](repeating: 1, count: size))
    }

    @Test("A verifier gets evidence up to its limit, and the first finding is the size")
    func within() throws {
        let verifier = TenBytes()
        let appraisal = verifier.appraise(try verifier.bounded(evidence(10)), in: context)
        #expect(appraisal.findings == [.pass("size"), .pass("bytes")])
        #expect(verifier.appraise(evidence(10), in: context).findings == appraisal.findings)
        #expect(try verifier.locate(evidence(10)) == .outsideAnswer)
    }

    @Test("A verifier does not get evidence above its limit")
    func above() {
        let verifier = TenBytes()
        #expect(throws: Rejection(.evidenceTooLarge, "")) { try verifier.bounded(evidence(11)) }
        #expect(throws: Rejection(.evidenceTooLarge, "")) { try verifier.locate(evidence(11)) }
        let appraisal = verifier.appraise(evidence(11), in: context)
        #expect(appraisal.findings.map(\.check) == ["size"] && appraisal.failure?.code == "evidence_too_large")
        #expect(appraisal.failure?.detail == "11 bytes, limit 10")
    }

    @Test("The size of evidence in parts counts the parts' lengths")
    func parts() throws {
        let verifier = TenBytes()
        func evidence(_ parts: [ArraySlice<UInt8>]) -> Evidence {
            Evidence(format: TenBytes.format, keyID: [], parts: parts)
        }
        #expect(try verifier.bounded(evidence([[1], [2]])).body.count == 10)
        #expect(throws: Rejection(.evidenceTooLarge, "")) { try verifier.bounded(evidence([[1], [2, 3]])) }
    }

    @Test("An examination goes on after the size")
    func examined() {
        let context = AppraisalContext(
            binding: Binding(callerOwned: [1]), now: Timestamp(unixSeconds: 1), examination: Examination())
        let findings = TenBytes().appraise(evidence(11), in: context).findings
        #expect(findings.map(\.check) == ["size", "bytes"] && findings.map(\.outcome) == [.fail, .pass])
    }
}

extension BoundedEvidenceTests {
    @Test(
        "A report of every failure has them whether or not the size was judged before, and ends at evidence that is too large")
    func everyFailure() throws {
        let context = AppraisalContext(
            binding: Binding(callerOwned: [1]), now: Timestamp(unixSeconds: 1), report: .all)
        let verifier = TwoFailures()
        func evidence(_ size: Int) -> Evidence {
            Evidence(format: TwoFailures.format, keyID: [], body: [UInt8](repeating: 1, count: size))
        }
        let appraisal = verifier.appraise(try verifier.bounded(evidence(1)), in: context)
        #expect(appraisal.findings.filter { $0.outcome == .fail }.map(\.check) == ["one", "two"])
        #expect(verifier.appraise(evidence(1), in: context).findings == appraisal.findings)
        let large = verifier.appraise(evidence(2), in: context)
        #expect(large.findings.map(\.check) == ["size", Finding.furtherChecks])
        #expect(large.failure?.code == "evidence_too_large")
    }
}

/// Evidence of one byte, of which two checks fail.
private struct TwoFailures: EvidenceVerifier {
    static let format = EvidenceFormat(rawValue: "two-failures")
    let format: EvidenceFormat = Self.format
    let purposes: Set<Purpose> = [.assert]
    let sizeLimit = 1
    let replayProtection = ReplayProtection.rememberedUse(milliseconds: 1)

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .outsideAnswer }
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.independently { (appraisal) throws(Rejection) in
            try appraisal.require("one", false, else: .wrongFormat, "the first")
        }
        try appraisal.require("two", false, else: .wrongFormat, "the second")
    }
}

/// Accepts evidence of at most ten bytes.
private struct TenBytes: EvidenceVerifier {
    static let format = EvidenceFormat(rawValue: "ten-bytes")
    let format: EvidenceFormat = Self.format
    let purposes: Set<Purpose> = [.assert]
    let sizeLimit = 10
    let replayProtection = ReplayProtection.rememberedUse(milliseconds: 1)

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .outsideAnswer }
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.require("bytes", !evidence.body.isEmpty, else: .wrongFormat, "no bytes")
        appraisal.assurance = .software
    }
}
