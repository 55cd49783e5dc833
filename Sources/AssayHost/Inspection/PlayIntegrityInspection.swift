import AssayCore
import PlayIntegrity

/// Appraises tokens for an inspection, with an app's keys and policy. Without an app no token can be decrypted.
struct PlayIntegrityInspection {
    private let section: Configuration.App.PlayIntegrity?

    init(_ app: Configuration.App?) { section = app?.playIntegrity }

    var keys: [PlayKeySet] { section?.keys ?? [] }

    func judge(token input: InspectionInput) -> (findings: [Finding], remarks: [String]) {
        guard let section else {
            return (
                [],
                ["A token is sealed to its app: name one that has its keys (--config and --app) to have it opened and judged."]
            )
        }
        guard !section.keys.isEmpty else {
            return ([], ["The app's tokens are opened by Google's service alone: inspect what it answered."])
        }
        // An inspection asks no service: only tokens for the app's keys are decrypted.
        return judge(by: section, decoding: .local, reply: nil, input)
    }

    /// The answer of Google's service, taken as authentic: it is not signed.
    func judge(answer input: InspectionInput) -> (findings: [Finding], remarks: [String]) {
        guard let section else {
            return (
                [], ["An answer alone is explained and not judged: name the app whose token it is about (--config and --app)."]
            )
        }
        let (findings, remarks) = judge(by: section, decoding: .google, reply: .answered(input.bytes), input)
        return (findings, remarks + ["The answer is taken for Google's: nothing in it is signed."])
    }

    private func judge(
        by section: Configuration.App.PlayIntegrity, decoding: PlayDecoding, reply: OutsideAnswer?, _ input: InspectionInput
    ) -> (findings: [Finding], remarks: [String]) {
        let verifier = PlayIntegrityVerifier(
            identity: section.identity, keys: section.keys, decoding: decoding, policy: section.policy)
        let evidence = Evidence(format: .playIntegrity, keyID: [], body: reply == nil ? input.bytes : [])
        let binding = input.clientData.map { Binding(embedded: $0) } ?? Binding(callerOwned: input.clientDataHash ?? [])
        func findings(_ examination: Examination) -> [Finding] {
            verifier.appraise(
                evidence,
                in: AppraisalContext(
                    binding: binding, facts: Facts(outsideAnswer: reply), now: input.now, examination: examination)
            ).findings
        }
        var examination = Examination()
        if input.clientData == nil, input.clientDataHash == nil {
            examination.leaveOut("request_binding", because: Examination.clientData)
        }
        let judged = findings(examination)
        // A hash is enough for a token of a standard request; a nonce contains the client data itself.
        guard input.clientData == nil,
            judged.contains(where: { $0.check == "request_binding" && $0.code == ReasonCode.nonceMismatch.rawValue })
        else { return (judged, []) }
        examination.leaveOut("request_binding", because: Examination.wholeClientData)
        return (findings(examination), [])
    }
}
