import AssayCore
import AssaySchemes
import AssaySimulator
import Testing

@testable import PlayIntegrity

@Suite("Inspection of Play Integrity tokens and answers")
struct PlayIntegrityInspectorTests {
    private let sample: SampleToken
    private let subject: InspectionSubject

    init() throws {
        let sample = try SampleToken()
        let section = PlayIntegritySection(
            app: PlayIntegrityIdentity(packages: [SampleToken.package], signers: [sample.signer]), keys: [try sample.keySet()],
            decoding: .local, policy: sample.policy)
        (self.sample, subject) = (sample, InspectionSubject(sections: ["play_integrity": section]))
    }

    private func isToken(_ text: String) -> Bool {
        if case .beginning(let isOne) = PlayTokenInspector().recognition { isOne(Array(text.utf8)) } else { false }
    }

    @Test("Encrypted tokens are recognised, and signed ones are another platform's")
    func recognition() throws {
        #expect(isToken(try sample.console.token(sample.standard)))
        #expect(!isToken(sample.signedElsewhere) && !isToken("a.b.c.d.e") && !isToken(""))
    }

    @Test("A token is explained and judged with the app's keys, and not without an app")
    func token() throws {
        var input = InspectionInput(bytes: Array(try sample.console.token(sample.standard).utf8), now: sample.now)
        input.clientDataHash = sample.binding.clientDataHash
        let result = PlayTokenInspector().judge(input, for: subject)
        #expect(!result.findings.isEmpty && !result.findings.contains { $0.outcome == .fail })
        #expect(result.remarks.isEmpty)
        #expect("\(PlayTokenInspector().explain(input.bytes, for: subject))".contains(SampleToken.package))
        let none = PlayTokenInspector().judge(input, for: InspectionSubject())
        #expect(none.findings.isEmpty && none.remarks.first?.hasPrefix("A token is sealed to its app") == true)
    }

    @Test("A hash of the client data is of no use for a token of a classic request")
    func classic() throws {
        var input = InspectionInput(bytes: Array(try sample.console.token(sample.classic).utf8), now: sample.now)
        input.clientDataHash = sample.binding.clientDataHash
        let finding = PlayTokenInspector().judge(input, for: subject).findings.first { $0.check == "request_binding" }
        #expect(finding?.code == Finding.notJudged && finding?.detail == Examination.wholeClientData)
    }

    @Test("An answer of Google's service is judged as authentic")
    func answer() throws {
        var input = InspectionInput(bytes: PlayConsole.decoded(sample.standard), now: sample.now)
        input.clientDataHash = sample.binding.clientDataHash
        let result = PlayAnswerInspector().judge(input, for: subject)
        #expect(!result.findings.isEmpty && !result.findings.contains { $0.outcome == .fail })
        #expect(result.remarks == ["The answer is taken for Google's: nothing in it is signed."])
    }
}
