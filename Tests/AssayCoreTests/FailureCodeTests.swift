import AssayCore
import Testing

@Suite("Failure codes")
struct FailureCodeTests {
    @Test("Every built-in code is read back from its text, and equals only itself")
    func builtIn() {
        for code in ReasonCode.allCases {
            let read = FailureCode(rawValue: code.rawValue)
            #expect(read == FailureCode(code) && read?.builtIn == code && read?.rawValue == code.rawValue)
        }
        #expect(FailureCode(.expired) == .expired)
        #expect(FailureCode(.expired) != .revoked)
    }

    @Test("Another code keeps its text", arguments: ["a", "meter/too_old", "x-1.2_3", String(repeating: "z", count: 64)])
    func other(_ text: String) throws {
        let code = try #require(FailureCode(rawValue: text))
        #expect(code.rawValue == text && code.builtIn == nil && code.description == text)
        #expect(ReasonCode.allCases.allSatisfy { code != $0 })
    }

    @Test(
        "Other texts are not codes",
        arguments: ["", "Upper", "a b", "a\n", "ä", "a\"", "a:b", String(repeating: "z", count: 65)])
    func malformed(_ text: String) { #expect(FailureCode(rawValue: text) == nil) }

    @Test("The retry class of a built-in code is that of its table; of another code it is the one that is given")
    func retry() throws {
        let own = try #require(FailureCode(rawValue: "meter/too_old"))
        #expect(Rejection(own, "").retry == .contactOperator)
        #expect(Rejection(own, "", retry: .later).retry == .later)
        #expect(Rejection(FailureCode(.expired), "", retry: .never).retry == ReasonCode.expired.retry)
        #expect(Rejection(.expired, "").retry == ReasonCode.expired.retry)
    }

    @Test("A decision has the failed check's own code and retry class")
    func decision() throws {
        let own = try #require(FailureCode(rawValue: "meter/too_old"))
        var appraisal = Appraisal(format: EvidenceFormat(rawValue: "meter"))
        appraisal.assurance = .hardware
        appraisal.findings = [.fail("age", Rejection(own, "two years", retry: .reAttest))]
        guard case .reject(let rejection, let check) = Decision([appraisal]) else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.code == own && rejection.retry == .reAttest && rejection.detail == "two years" && check == "age")
    }

    @Test("A failed finding without a code rejects under a code that says so")
    func noCode() {
        var appraisal = Appraisal(format: EvidenceFormat(rawValue: "meter"))
        appraisal.findings = [Finding(check: "age", outcome: .fail, code: "No code!")]
        #expect(Decision([appraisal]) == .reject(Rejection(.malformed as FailureCode, ""), check: "age"))
    }
}
