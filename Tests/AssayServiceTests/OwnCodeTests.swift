import AssayAPI
import AssayCore
import Testing

@testable import AssayService

/// A verifier from outside this package, which fails with a code of its own.
@Suite("Codes that are not built in")
struct OwnCodeTests {
    private func verdict(
        _ harness: ServiceHarness
    ) async throws -> Assay_V1_Verdict {
        try await harness.verify(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: try await harness.challenge(.assert),
                evidence: [Evidence(format: .playIntegrity, keyID: [], body: [1])]))
    }

    private func harness(_ rejection: Rejection, requestLog: RequestLog = .closed) async throws -> ServiceHarness {
        try await ServiceHarness(
            [AppProfile(id: .camera, verifiers: [Failing(rejection: rejection)], policyDigest: [1])], requestLog: requestLog)
    }

    @Test(
        "A verdict has the verifier's own code, its sentence and its retry class",
        arguments: [(nil, .contactOperator), (.later, .later), (.newChallenge, .newChallenge)]
            as [(RetryClass?, Assay_V1_RetryClass)])
    func wire(_ retry: RetryClass?, _ expected: Assay_V1_RetryClass) async throws {
        let code = try #require(FailureCode(rawValue: "meter/too_old"))
        let verdict = try await verdict(try await harness(Rejection(code, "the meter is too old", retry: retry)))
        #expect(verdict.decision == .rejected && verdict.reason == "meter/too_old" && verdict.check == "age")
        #expect(verdict.detail == "the meter is too old" && verdict.retry == expected)
        let finding = try #require(verdict.findings.last)
        #expect(finding.check == "age" && finding.outcome == .fail && finding.code == "meter/too_old")
    }

    @Test("The code that locating fails with is the verdict's too")
    func locating() async throws {
        let code = try #require(FailureCode(rawValue: "meter/unreadable"))
        let harness = try await ServiceHarness([
            AppProfile(
                id: .camera, verifiers: [Failing(rejection: Rejection(code, "cut", retry: .never), locates: false)],
                policyDigest: [1])
        ])
        let verdict = try await verdict(harness)
        #expect(verdict.reason == "meter/unreadable" && verdict.check == "evidence" && verdict.retry == .never)
    }

    @Test("The status counts all codes that are not built in together, however many there are")
    func counted() async throws {
        let code = try #require(FailureCode(rawValue: "meter/too_old"))
        let harness = try await harness(Rejection(code, ""))
        for _ in 0..<2 { _ = try await verdict(harness) }
        let status = try await harness.call(API.status, Assay_V1_StatusRequest())
        #expect(status.traffic.rejected == ["other": 2])
    }
}

/// Fails its check `age`, or fails to locate.
private struct Failing: EvidenceVerifier {
    let format = EvidenceFormat.playIntegrity
    let purposes: Set<Purpose> = [.assert]
    let sizeLimit = 100
    let replayProtection = ReplayProtection.challenge()
    let rejection: Rejection
    var locates = true

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
        guard locates else { throw rejection }
        return .nothing
    }

    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.check("age") { () throws(Rejection) -> Void in throw rejection }
    }
}
