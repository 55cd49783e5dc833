import AssayCore
import AssaySchemes

/// Inspects tokens, with an app's keys and policy. Without an app no token can be decrypted.
struct PlayTokenInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: "play-integrity.token")

    /// A token in compact serialisation begins with its header, a JSON object in base64url; encrypted ones have five parts.
    let recognition = InspectedKind.Recognition.beginning { bytes in
        bytes.starts(with: "eyJ".utf8) && bytes.count(where: { $0 == UInt8(ascii: ".") }) > 2
    }

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        PlayIntegrityExplanation.token(bytes[...], keys: PlayIntegritySection(of: subject)?.keys ?? [])
    }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        guard let section = PlayIntegritySection(of: subject) else {
            return InspectionResult(
                [],
                remarks: [
                    "A token is sealed to its app: name one that has its keys (--config and --app) to have it opened and judged."
                ])
        }
        guard !section.keys.isEmpty else {
            return InspectionResult(
                [], remarks: ["The app's tokens are opened by Google's service alone: inspect what it answered."])
        }
        // An inspection asks no service: only tokens for the app's keys are decrypted.
        return InspectionResult(section.findings(decoding: .local, reply: nil, input))
    }

    func meaning(of check: String) -> String? { PlayIntegrityCheck.meaning(of: check) }
}

/// Inspects answers of Google's service to a request to decode a token. They are taken as authentic: they are not signed.
struct PlayAnswerInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: "play-integrity.answer")
    let recognition = InspectedKind.Recognition.content("tokenPayloadExternal")

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        PlayIntegrityExplanation.answer(bytes[...])
    }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        guard let section = PlayIntegritySection(of: subject) else {
            return InspectionResult(
                [],
                remarks: [
                    "An answer alone is explained and not judged: name the app whose token it is about (--config and --app)."
                ])
        }
        return InspectionResult(
            section.findings(decoding: .google, reply: .answered(input.bytes), input),
            remarks: ["The answer is taken for Google's: nothing in it is signed."])
    }

    func meaning(of check: String) -> String? { PlayIntegrityCheck.meaning(of: check) }
}

extension PlayIntegritySection {
    fileprivate init?(of subject: InspectionSubject) {
        guard let key = PlayIntegrityScheme.sectionKey, let section = subject.sections[key] as? PlayIntegritySection else {
            return nil
        }
        self = section
    }

    fileprivate func findings(decoding: PlayDecoding, reply: OutsideAnswer?, _ input: InspectionInput) -> [Finding] {
        let verifier = PlayIntegrityVerifier(identity: app, keys: keys, decoding: decoding, policy: policy)
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
        let binds = judged.first { $0.check == "request_binding" && $0.outcome == .fail }  // not text from outside
        // A hash is enough for a token of a standard request; a nonce contains the client data itself.
        guard input.clientData == nil, binds?.code == ReasonCode.nonceMismatch.rawValue else { return judged }
        examination.leaveOut("request_binding", because: Examination.wholeClientData)
        return findings(examination)
    }
}
