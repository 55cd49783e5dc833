import AssayAPI
import AssayCore
import AssayPlugins
import AssayRPC
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

/// Evidence that is a part of the payload: accepted only beside a piece that binds the payload, and for nothing but what it says of it.
@Suite("Evidence that is a part of a payload")
struct PayloadEvidenceTests {
    private static let depth = EvidenceFormat(rawValue: "scene-depth")
    private static let chain = EvidenceFormat(rawValue: "frame-chain")
    private static let kiosk = EvidenceFormat(rawValue: "example.kiosk")
    private static let document = ConfidenceTests.document

    private static func declared(
        _ format: EvidenceFormat, _ freshness: Assay_Plugin_V1_Freshness = .payload
    ) throws -> PluginFormat {
        try PluginFormat(
            .with {
                ($0.name, $0.purposes, $0.sizeLimit) = (Data(format.rawValue.utf8), [.register, .assert], 64)
                $0.freshness = freshness
                if freshness == .payload { $0.measures = [Data("lidar".utf8), Data("moire".utf8)] }
                $0.claims = [.with { ($0.name, $0.kind) = (Data("layers".utf8), .integer) }]
                $0.codes = [
                    .with {
                        ($0.code, $0.retry, $0.vendorCode) = (Data("flat_scene".utf8), .never, "E-1102")
                    }
                ]
            })
    }

    /// Plugins by the format that they judge, with their answers.
    private struct Plugins {
        let depth = StandInOpinions()
        let chain = StandInOpinions()
        let kiosk = StandInOpinions()
    }

    private static func profile(
        _ plugins: Plugins, kiosk freshness: Assay_Plugin_V1_Freshness = .singleUse, others: [any EvidenceVerifier] = [],
        confidence: ConfidenceRule? = nil
    ) throws -> AppProfile {
        func verifier(_ format: EvidenceFormat, _ freshness: Assay_Plugin_V1_Freshness = .payload) throws -> PluginVerifier {
            PluginVerifier(
                app: .camera, declared: try declared(format, freshness),
                primary: PluginJudge(id: "judge", name: "judge", ceiling: .secureElement), others: [])
        }
        let embedded = try #require(EmbeddedChallenge(place: .offset(0), encoding: .raw))
        return AppProfile(
            id: .camera,
            verifiers: [try verifier(depth), try verifier(chain), try verifier(kiosk, freshness)] + others
                + Array(try AppProfile.testing(.camera).verifiers.values),
            opinionSources: [depth: plugins.depth, chain: plugins.chain, kiosk: plugins.kiosk],
            binding: BindingRule(embedded: embedded, callerOwned: CallerOwnedRule(spendEvidenceFor: 60_000)),
            policyDigest: [UInt8](repeating: 0xD1, count: 32), acceptsSimulated: true, confidence: confidence)
    }

    /// The judgement of a part that was shown to belong to a payload.
    private static func part(
        of payload: [UInt8], failing code: String? = nil, assurance: Assay_Plugin_V1_Assurance = .none,
        measured: [String: Assay_Plugin_V1_Outcome] = [:],
        _ change: (inout Assay_Plugin_V1_AppraiseResponse) -> Void = { _ in }
    ) throws -> OutsideAnswer {
        try .judgement(failing: code, assurance: assurance) { response in
            if code == nil { response.verifiedPayloadSha256 = Data(SHA256.hash(data: payload)) }
            response.measurements = measured.map { signal, outcome in
                .with { ($0.signal, $0.outcome, $0.detail) = (Data(signal.utf8), outcome, "deviation 0.6 m") }
            }
            change(&response)
        }
    }

    private static func piece(_ format: EvidenceFormat) -> Evidence {
        Evidence(format: format, keyID: [], body: Array("part".utf8))
    }

    /// An upload whose payload is the document, with parts of it.
    private static func upload(
        _ handset: inout Handset, in harness: ServiceHarness, _ parts: [EvidenceFormat] = [depth],
        payload: [UInt8]? = document
    ) async throws -> VerificationRequest {
        var request = try handset.assertion(try await harness.challenge(.assert), payload: payload)
        request.evidence += parts.map(piece)
        request.signals = payload ?? []
        return request
    }

    // MARK: Accepted

    @Test("A part beside the assertion that binds its payload is accepted, and neither raises nor lowers the assurance")
    func accepted() async throws {
        let plugins = Plugins()
        let harness = try await ServiceHarness([try Self.profile(plugins)])
        var (handset, device) = try await harness.enrol()
        for assurance in [Assay_Plugin_V1_Assurance.none, .software, .secureElement] {
            plugins.depth.answer(
                "judge",
                try Self.part(of: Self.document, assurance: assurance) {
                    $0.claims = [.with { ($0.name, $0.integer) = (Data("layers".utf8), 3) }]
                })
            let verdict = try await harness.verify(try await Self.upload(&handset, in: harness))
            try #require(verdict.isAccepted, "\(verdict.reason): \(verdict.detail)")
            #expect(verdict.assurance == .secureElement && DeviceID(bytes: Array(verdict.deviceID)) == device)
            #expect(verdict.findings.contains { $0.check == "scene-depth/payload" && $0.outcome == .pass })
            #expect(Claims(verdict.claims).integer("scene-depth/layers") == 3)
        }
        #expect(try await harness.assert(&handset).isAccepted, "a request without a part is judged as before")
    }

    @Test("Several parts of one payload are accepted beside one signature, up to four pieces")
    func several() async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        plugins.chain.answer("judge", try Self.part(of: Self.document))
        plugins.kiosk.answer("judge", try Self.part(of: Self.document))
        let harness = try await ServiceHarness([try Self.profile(plugins, kiosk: .payload)])
        var (handset, _) = try await harness.enrol()
        for parts in [[Self.depth, Self.chain], [Self.depth, Self.chain, Self.kiosk]] {
            let verdict = try await harness.verify(try await Self.upload(&handset, in: harness, parts))
            #expect(verdict.isAccepted && verdict.assurance == .secureElement, "\(verdict.reason): \(verdict.detail)")
        }
        plugins.chain.answer("judge", try Self.part(of: Self.document, failing: "flat_scene"))
        let verdict = try await harness.verify(try await Self.upload(&handset, in: harness, [Self.depth, Self.chain]))
        #expect(verdict.reason == "flat_scene" && verdict.check == "mac" && verdict.retry == .never)
    }

    @Test("A registration can have a part beside its attestation")
    func registration() async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        let harness = try await ServiceHarness([try Self.profile(plugins)])
        var request = try Handset().registration(
            try await harness.challenge(.register), payload: Self.document, at: harness.clock.now())
        request.evidence.append(Self.piece(Self.depth))
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("A failed check of a part rejects the request, with its code and the code of the other system")
    func failed() async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document, failing: "flat_scene"))
        let harness = try await ServiceHarness([try Self.profile(plugins)])
        var (handset, _) = try await harness.enrol()
        let request = try await Self.upload(&handset, in: harness)
        let verdict = try await harness.verify(request)
        #expect(verdict.reason == "flat_scene" && verdict.retry == .never)
        let finding = try #require(verdict.findings.first { $0.outcome == .fail })
        #expect(finding.check == "scene-depth/mac" && finding.code == "flat_scene" && finding.vendorCode == "E-1102")
        #expect(verdict.findings.allSatisfy { $0.outcome == .fail || $0.vendorCode.isEmpty })
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        #expect(try await harness.verify(request).isAccepted, "neither challenge nor counter was spent")
    }

    // MARK: Not bound

    @Test("A part alone is rejected before its plugin is asked, and nothing is spent")
    func alone() async throws {
        let plugins = Plugins()
        for source in [plugins.depth, plugins.chain] {
            source.answer("judge", try Self.part(of: Self.document, assurance: .secureElement))
        }
        let harness = try await ServiceHarness([try Self.profile(plugins)])
        var (handset, _) = try await harness.enrol()
        for parts in [[Self.depth], [Self.depth, Self.chain]] {
            var request = try await Self.upload(&handset, in: harness, parts)
            let signature = request.evidence.removeFirst()
            let verdict = try await harness.verify(request)
            #expect(verdict.rejection == .payloadNotBound && verdict.check == "binding" && verdict.retry == .never)
            #expect(verdict.detail == "scene-depth is a part of a payload, and no evidence beside it binds a payload")
            request.evidence.insert(signature, at: 0)
            #expect(try await harness.verify(request).isAccepted)
        }
        #expect(plugins.depth.questions.count == 2 && plugins.chain.questions.count == 1)
    }

    @Test(
        "A part alone costs no attempt with its challenge where the first failure is reported, and one where every failure is")
    func attempts() async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        let harness = try await ServiceHarness([try Self.profile(plugins)])
        var (handset, _) = try await harness.enrol()
        for report in VerdictReport.allCases {
            var request = try await Self.upload(&handset, in: harness)
            request.report = report
            let signature = request.evidence.removeFirst()
            for _ in 0..<5 { #expect(try await harness.verify(request).rejection == .payloadNotBound) }
            request.evidence.insert(signature, at: 0)
            let verdict = try await harness.verify(request)
            #expect(verdict.rejection == (report == .all ? .challengeAttemptsExceeded : nil), "\(report)")
        }
    }

    @Test("A part is rejected where Assay knows no payload: none is bound, or the client data or the hash is the caller's")
    func noPayload() async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        let harness = try await ServiceHarness([try Self.profile(plugins)])
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        let (data, hash) = (challenge + Array("data".utf8), ClientData.payloadHash(Self.document))
        let requests = [
            try await Self.upload(&handset, in: harness, payload: nil),
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: challenge,
                evidence: [try handset.assertion(over: Binding(embedded: data).clientDataHash), Self.piece(Self.depth)],
                binding: .embedded(data)),
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: [],
                evidence: [try handset.assertion(over: hash), Self.piece(Self.depth)], binding: .callerOwned(hash)),
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: [], evidence: [Self.piece(Self.depth)], binding: .inEvidence),
        ]
        for request in requests {
            let verdict = try await harness.verify(request)
            #expect(verdict.rejection == .payloadNotBound && verdict.check == "binding", "\(request.binding)")
            #expect(verdict.detail.hasPrefix("scene-depth is a part of a payload, and the binding "), "\(verdict.detail)")
        }
        #expect(plugins.depth.questions.isEmpty)
    }

    @Test(
        "A part beside evidence that binds nothing is rejected", arguments: [Assay_Plugin_V1_Freshness.singleUse, .statement])
    func unbound(_ freshness: Assay_Plugin_V1_Freshness) async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        let harness = try await ServiceHarness([try Self.profile(plugins, kiosk: freshness)])
        let verdict = try await harness.verify(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: try await harness.challenge(.assert),
                evidence: [Self.piece(Self.kiosk), Self.piece(Self.depth)],
                binding: .clientData(payloadHash: ClientData.payloadHash(Self.document))))
        #expect(verdict.rejection == .payloadNotBound && verdict.check == "binding")
        #expect(plugins.depth.questions.isEmpty && plugins.kiosk.questions.isEmpty)
    }

    @Test("A part beside evidence that turns out to be a supplement only is rejected")
    func supplement() async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        let harness = try await ServiceHarness([try Self.profile(plugins, others: [SupplementVerifier()])])
        let verdict = try await harness.verify(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: try await harness.challenge(.assert),
                evidence: [Evidence(format: .playIntegrity, keyID: [], body: [1]), Self.piece(Self.depth)],
                binding: .clientData(payloadHash: ClientData.payloadHash(Self.document))))
        #expect(verdict.rejection == .payloadNotBound && verdict.check == "binding")
        #expect(verdict.detail == "no evidence that supports the assurance binds the payload")
    }

    @Test("A part beside evidence that the app does not accept is refused for that evidence")
    func unaccepted() async throws {
        let harness = try await ServiceHarness([try Self.profile(Plugins())])
        let verdict = try await harness.verify(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: try await harness.challenge(.assert),
                evidence: [Self.piece(Self.depth), Evidence(format: .playIntegrity, keyID: [], body: [1])],
                binding: .clientData(payloadHash: ClientData.payloadHash(Self.document))))
        #expect(verdict.rejection == .formatNotAccepted)
    }

    @Test("A part of another payload than the bound one is UNAVAILABLE as an answer against the contract, and nothing is spent")
    func otherPayload() async throws {
        let plugins = Plugins()
        let harness = try await ServiceHarness([try Self.profile(plugins)])
        var (handset, _) = try await harness.enrol()
        let request = try await Self.upload(&handset, in: harness)
        let answers = [
            try Self.part(of: Self.document + [0x20]), try OutsideAnswer.judgement(),
            try Self.part(of: Self.document) { $0.effect = .with { $0.registration = .with { $0.subjectKey = Data([1]) } } },
            try Self.part(of: Self.document) { $0.usedTokens = [.with { $0.token = Data([1]) }] },
            try Self.part(of: Self.document, measured: ["parallax": .pass]),
            try Self.part(of: Self.document, measured: ["lidar": .note]),
        ]
        for answer in answers {
            plugins.depth.answer("judge", answer)
            let error = try await harness.failure(request)
            #expect(error?.code == .unavailable && error?.reason == "evidence_unavailable")
        }
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("A verifier of Assay's own whose evidence belongs to another payload rejects, and its effects do not count")
    func ownVerifier() async throws {
        for isShown in [true, false] {
            let payload = isShown ? Self.document : []
            let harness = try await ServiceHarness([try Self.profile(Plugins(), others: [OwnPart(payload: payload)])])
            var (handset, device) = try await harness.enrol()
            let verdict = try await harness.verify(try await Self.upload(&handset, in: harness, [OwnPart.format]))
            #expect(verdict.isAccepted == isShown)
            guard isShown else {
                #expect(verdict.rejection == .payloadNotBound && verdict.check == "payload")
                continue
            }
            #expect(verdict.assurance == .secureElement && DeviceID(bytes: Array(verdict.deviceID)) == device)
        }
    }

    // MARK: What the plugin is given

    @Test("The plugin is given the signed document of the signals only if it is the payload")
    func signals() async throws {
        let plugins = Plugins()
        let harness = try await ServiceHarness([try Self.profile(plugins)])
        var (handset, _) = try await harness.enrol()
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        _ = try await harness.verify(try await Self.upload(&handset, in: harness))
        let question = try #require(plugins.depth.questions.last)
        #expect(question.signals == Self.document && question.binding.payloadHash == ClientData.payloadHash(Self.document))
        plugins.depth.answer("judge", try Self.part(of: [7]))
        var other = try await Self.upload(&handset, in: harness, payload: [7])
        other.signals = Self.document
        #expect(try await harness.verify(other).isAccepted)
        #expect(try #require(plugins.depth.questions.last).signals.isEmpty)
    }

    // MARK: Confidence

    private static func rule(_ profile: ConfidenceProfile = .mvp, _ format: EvidenceFormat = depth) -> ConfidenceRule {
        ConfidenceRule(profile: profile, measured: ["lidar": format])
    }

    @Test("What was measured takes the place of the app's word, also where it could not be measured")
    func measured() async throws {
        let plugins = Plugins()
        let harness = try await ServiceHarness([try Self.profile(plugins, confidence: Self.rule())])
        var (handset, _) = try await harness.enrol()
        let low = Array(String(decoding: Self.document, as: UTF8.self).replacing("0.95", with: "0.05").utf8)
        let cases: [([UInt8], Assay_Plugin_V1_Outcome?, Assay_V1_Confidence.Level)] = [
            (Self.document, .pass, .high), (Self.document, .fail, .suspicious), (Self.document, .unavailable, .medium),
            (low, .pass, .high), (low, .fail, .suspicious), (Self.document, nil, .high), (low, nil, .suspicious),
        ]
        for (document, outcome, level) in cases {
            plugins.depth.answer("judge", try Self.part(of: document, measured: outcome.map { ["lidar": $0] } ?? [:]))
            let verdict = try await harness.verify(try await Self.upload(&handset, in: harness, payload: document))
            #expect(verdict.isAccepted, "a measurement rejects nothing")
            #expect(verdict.confidence.level == level, "\(String(describing: outcome))")
        }
        let word = try await harness.verify(try await Self.upload(&handset, in: harness, [], payload: low))
        #expect(word.confidence.level == .suspicious, "without the part the signal is the app's word")
    }

    @Test("A measurement counts only for the format that the policy names, and for a document that the device signed")
    func notMeasured() async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document, measured: ["lidar": .fail]))
        for rule in [Self.rule(.mvp, Self.chain), ConfidenceRule(profile: .mvp)] {
            let harness = try await ServiceHarness([try Self.profile(plugins, confidence: rule)])
            var (handset, _) = try await harness.enrol()
            let verdict = try await harness.verify(try await Self.upload(&handset, in: harness))
            #expect(verdict.isAccepted && verdict.confidence.level == .high)
        }
        plugins.depth.answer("judge", try Self.part(of: [7], measured: ["lidar": .fail]))
        let harness = try await ServiceHarness([try Self.profile(plugins, confidence: Self.rule())])
        var (handset, _) = try await harness.enrol()
        var request = try await Self.upload(&handset, in: harness, payload: [7])
        request.signals = []
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted && verdict.confidence.level == .medium && verdict.confidence.signals == .notSubmitted)
    }

    @Test("Signals are the app's word unless each of them was measured")
    func limits() async throws {
        let plugins = Plugins()
        let only = Array(
            (#"{"version":1,"media":[{"sha256":"\#(String(repeating: "ab", count: 32))"}],"#
                + #""signals":{"lidar":{"score":0.95}}}"#).utf8)
        let harness = try await ServiceHarness([try Self.profile(plugins, confidence: Self.rule())])
        var (handset, _) = try await harness.enrol()
        for (document, isMeasured, isWord) in [(Self.document, true, true), (only, true, false), (only, false, true)] {
            plugins.depth.answer("judge", try Self.part(of: document, measured: isMeasured ? ["lidar": .pass] : [:]))
            let verdict = try await harness.verify(try await Self.upload(&handset, in: harness, payload: document))
            #expect(verdict.isAccepted && verdict.limits.contains(.signalsAreTheAppsWord) == isWord)
        }
    }
}

/// Is bound to the challenge, and says that it only supplements other evidence.
private struct SupplementVerifier: EvidenceVerifier {
    let format = EvidenceFormat.playIntegrity
    let purposes: Set<Purpose> = [.assert]
    let sizeLimit = 64
    let replayProtection = ReplayProtection.challenge()

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .nothing }

    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.require("nonce", true, else: .nonceMismatch, "")
        (appraisal.isSupplement, appraisal.assurance) = (true, .platform)
    }
}

/// A verifier of Assay's own for a part of a payload, which claims more than a part may.
private struct OwnPart: EvidenceVerifier {
    static let format = EvidenceFormat(rawValue: "own-part")
    let payload: [UInt8]
    var format: EvidenceFormat { Self.format }
    let purposes: Set<Purpose> = [.assert]
    let sizeLimit = 64
    let replayProtection = ReplayProtection.payload

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .nothing }

    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.require("form", true, else: .malformed, "")
        (appraisal.verifiedPayload, appraisal.assurance) = (ClientData.payloadHash(payload), .software)
        appraisal.effect = .register(
            Registration(
                format: format, keyID: [UInt8](repeating: 3, count: 32), publicKey: [], environment: "", anchor: [],
                claims: Claims(), chainSerials: [], receipt: [], simulated: false))
        appraisal.uses = [
            EvidenceUse(app: .camera, digest: [UInt8](repeating: 4, count: 32), until: context.now, repetition: .repeated)
        ]
    }
}
