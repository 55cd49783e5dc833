import AssayAPI
import AssayCore
import SwiftProtobuf
import Testing

@Suite("Verdict")
struct VerdictTests {
    private let clientData = ClientData(purpose: .assert, challenge: bytes(54, 1), payloadHash: bytes(32, 2))

    private static let findings: [Finding] = [
        .pass("a"), .fail("b", Rejection(.badSignature, "no")), .note("c", "word", "why"),
        Finding(check: "d", outcome: .skipped), Finding(check: "e", outcome: .unavailable),
    ]

    /// A verdict with something of everything; the binding is to `clientData` unless another is given.
    private func verdict(
        _ decision: Verdict.Decision, findings: [Finding] = Self.findings,
        claims: Claims = Claims([.init(name: "os", value: .text("27"))]),
        device: DeviceID? = DeviceID(bytes: bytes(16, 3)), binding: Binding?? = nil, confidence: Confidence? = nil
    ) throws -> Verdict {
        Verdict(
            decision: decision, findings: findings, claims: claims, device: device,
            binding: try binding ?? Binding(#require(clientData)), evidenceDigest: bytes(32, 4), policyDigest: bytes(32, 5),
            feeds: [FeedVersion(name: "list", id: "abcd", asOf: Timestamp(unixMilliseconds: 1000))], simulated: true,
            requestID: bytes(16, 6), decidedAt: Timestamp(unixMilliseconds: 1234), confidence: confidence)
    }

    /// The message as a client reads it.
    private func message(_ verdict: Verdict, repeated: Bool = false) throws -> Assay_V1_Verdict {
        try Assay_V1_Verdict(serializedBytes: verdict.serialized(repeated: repeated))
    }

    @Test("that is rejected and not enforced is ACCEPTED in its message, with the rejection beside and no assurance")
    func reported() throws {
        let verdict = try verdict(.rejected(Rejection(.badSignature, "no"), check: "b"))
        let message = try Assay_V1_Verdict(serializedBytes: verdict.serialized(reported: true))
        #expect(message.decision == .accepted && message.assurance == .none)
        #expect(message.reason.isEmpty && message.detail.isEmpty && message.check.isEmpty && message.retry == .unspecified)
        #expect(message.wouldReject.reason == "bad_signature" && message.wouldReject.detail == "no")
        #expect(message.wouldReject.check == "b" && message.wouldReject.retry == .never && !message.repeated)
        #expect(try self.message(verdict).decision == .rejected && !self.message(verdict).hasWouldReject)
        let accepted = try self.verdict(.accepted(.hardware))
        #expect(accepted.serialized(reported: true) == accepted.serialized())
    }

    @Test("that accepts has every field in its message")
    func accepted() throws {
        let message = try message(verdict(.accepted(.hardware)))
        #expect(message.decision == .accepted && message.assurance == .hardware)
        #expect(message.reason.isEmpty && message.detail.isEmpty && message.check.isEmpty && message.retry == .unspecified)
        #expect(message.findings.map(\.check) == ["a", "b", "c", "d", "e"])
        #expect(message.findings.map(\.outcome) == [.pass, .fail, .note, .skipped, .unavailable])
        #expect(message.findings.map(\.code) == ["", "bad_signature", "word", "", ""])
        #expect(message.findings.map(\.detail) == ["", "no", "why", "", ""])
        #expect(Claims(message.claims).text("os") == "27")
        #expect(Array(message.deviceID) == bytes(16, 3))
        #expect(message.bound.mode == .clientData && Array(message.bound.payloadSha256) == bytes(32, 2))
        #expect(Array(message.bound.clientDataHash) == clientData?.hash)
        #expect(Array(message.evidenceDigest) == bytes(32, 4) && Array(message.policyDigest) == bytes(32, 5))
        #expect(message.feeds.map { "\($0.feed) \($0.id) \($0.ageMs)" } == ["list abcd 234"])
        #expect(message.simulated && !message.repeated)
        #expect(Array(message.requestID) == bytes(16, 6) && message.decidedAtUnixMs == 1234)
    }

    @Test("that rejects says the reason, its check and what may be done", arguments: ReasonCode.allCases)
    func rejected(_ code: ReasonCode) throws {
        let message = try message(verdict(.rejected(Rejection(code, "detail"), check: "check")))
        #expect(message.decision == .rejected && message.assurance == .none)
        #expect(message.reason == code.rawValue && message.detail == "detail" && message.check == "check")
        #expect(message.retry != .unspecified)
    }

    @Test("names no device and no binding where there is none")
    func absent() throws {
        let verdict = try verdict(
            .rejected(Rejection(.challengeInvalid, ""), check: "challenge"), device: nil, binding: .some(nil))
        #expect(try message(verdict).deviceID.isEmpty)
        #expect(try !message(verdict).hasBound)
    }

    @Test("tells the ways of binding apart")
    func bindings() throws {
        let embedded = try message(verdict(.accepted(.software), binding: Binding(embedded: [1, 2]))).bound
        #expect(embedded.mode == .embedded && embedded.payloadSha256.isEmpty)
        let owned = try message(verdict(.accepted(.software), binding: Binding(callerOwned: [9]))).bound
        #expect(owned.mode == .callerOwned && Array(owned.clientDataHash) == [9])
    }

    @Test("has an assurance with one number in core and wire", arguments: Assurance.allCases)
    func assurance(_ assurance: Assurance) throws {
        #expect(try message(verdict(.accepted(assurance))).assurance.rawValue == Int(assurance.rawValue))
    }

    @Test("is written as the generated code writes it, byte for byte")
    func bytesAsGenerated() throws {
        let claims = Claims([
            .init(name: "text", value: .text("Grüße")), .init(name: "empty", value: .text("")),
            .init(name: "zero", value: .integer(0)), .init(name: "least", value: .integer(.min)),
            .init(name: "no", value: .boolean(false)), .init(name: "yes", value: .boolean(true)),
            .init(name: "none", value: .bytes([])), .init(name: "bytes", value: .bytes(bytes(300, 1))),
            .init(name: "texts", value: .texts(["a", "", "b"])), .init(name: "nothing", value: .texts([])),
            .init(name: "time", value: .time(Timestamp(unixMilliseconds: -1))), .init(name: "", value: .boolean(true)),
        ])
        let verdict = try verdict(.rejected(Rejection(.badSignature, "a detail"), check: "signature"), claims: claims)
        for repeated in [false, true] {
            let written = verdict.serialized(repeated: repeated)
            let read = try Assay_V1_Verdict(serializedBytes: written)
            #expect(Claims(read.claims) == verdict.claims && read.repeated == repeated)
            let generated: [UInt8] = try read.serializedBytes()
            #expect(written == generated)
        }
    }

    /// One of each profile, one of a rejected verdict, and one with everything that a message can have.
    private func confidences() throws -> [Confidence] {
        let document = SignalDocument(
            media: [bytes(32, 1), bytes(32, 2)],
            signals: [
                Signal(name: "parallax", value: .score(try #require(Score(millionths: 912_345)))),
                Signal(name: "moire", value: .score(.zero)), Signal(name: "metadata", value: .outcome(.pass)),
            ])
        let scene = SceneAnalysis(counted: document, digest: bytes(32, 3))
        let hardware = HardwareAttestation(.hardware, platform: .android, simulated: false)
        return ConfidenceProfile.allCases.flatMap { profile in
            [
                ConfidenceRule(profile: profile).assess(scene, platform: .android, hardware),
                ConfidenceRule(profile: profile).assess(SceneAnalysis(.notBound), platform: nil, hardware), .rejected(profile),
            ]
        }
    }

    @Test("has the confidence in its message as the generated code writes it, byte for byte")
    func confidence() throws {
        for confidence in try confidences() {
            let verdict = try verdict(.accepted(.hardware), confidence: confidence)
            let written = verdict.serialized()
            let read = try Assay_V1_Verdict(serializedBytes: written)
            let generated: [UInt8] = try read.serializedBytes()
            #expect(written == generated && read.hasConfidence)
            let message = read.confidence
            #expect(message.level.rawValue == Int(confidence.level.rawValue) && message.hasScore == (confidence.score != nil))
            #expect(message.score.millionths == confidence.score?.millionths ?? 0)
            #expect(message.profile == confidence.breakdown.profile.rawValue)
            #expect(message.platform == confidence.platform?.rawValue ?? "")
            #expect(message.hardware.level == confidence.hardware.level.rawValue && message.hardware.status != .unspecified)
            #expect(message.signals != .unspecified)
            #expect(message.mediaSha256.map { Array($0) } == confidence.scene.document?.media ?? [])
            #expect(message.breakdown.map(\.name) == confidence.breakdown.parts.map(\.name))
            for (row, part) in zip(message.breakdown, confidence.breakdown.parts) {
                #expect((row.outcome == .unspecified) == (part.outcome == nil) && row.hasScore == (part.score != nil))
                #expect(row.score.millionths == part.score?.millionths ?? 0)
                #expect(row.weight.millionths == part.weight?.millionths ?? 0)
                #expect(row.contribution.millionths == part.contribution?.millionths ?? 0)
            }
            #expect(message.weightedScore.millionths == confidence.breakdown.weightedScore?.millionths ?? 0)
            #expect(message.ceiling.rawValue == Int(confidence.breakdown.ceiling?.rawValue ?? 0))
            #expect((message.crossValidation == .unspecified) == (confidence.crossValidation == nil))
            #expect(message.levelOfFour.rawValue == Int(confidence.level.amongFour.rawValue))
            #expect(message.disagreementScore.millionths == confidence.suite?.disagreement?.millionths ?? 0)
            #expect(message.deviceKind == confidence.suite?.kind.rawValue ?? "")
            let model = try EvidenceModel(parsing: Array(message.evidenceModelJson.utf8))
            #expect(model == EvidenceModel(confidence))
        }
        #expect(try !message(verdict(.accepted(.hardware))).hasConfidence)
    }

    @Test("may have parts of any length", arguments: [0, 1, 100, 120, 121, 122, 127, 128, 129, 16_383, 16_384, 70_000])
    func lengths(_ count: Int) throws {
        let text = String(repeating: "x", count: count)
        let verdict = try verdict(
            .rejected(Rejection(.badSignature, text), check: text),
            findings: [.note("a", "b", text), .note(text, "b", "c"), Finding(check: "", outcome: .pass)],
            claims: Claims([
                .init(name: "t", value: .text(text)), .init(name: text, value: .texts([text, text])),
                .init(name: "b", value: .bytes(bytes(count, 1))),
            ]))
        let message = try message(verdict)
        #expect(message.detail == text && message.check == text)
        #expect(message.findings.map(\.detail) == [text, "c", ""] && message.findings.map(\.check) == ["a", text, ""])
        #expect(Claims(message.claims) == verdict.claims)
        #expect(message.findings.last?.outcome == .pass && message.decidedAtUnixMs == 1234)
    }
}
