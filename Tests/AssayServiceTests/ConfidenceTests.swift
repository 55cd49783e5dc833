import AssayAPI
import AssayCore
import AssaySimulator
import AssayTesting
import DeviceCheck
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Confidence in captures")
struct ConfidenceTests {
    static let document = Array(
        (#"{"version":1,"media":[{"sha256":"\#(String(repeating: "ab", count: 32))"}],"signals":"#
            + #"{"lidar":{"score":0.95},"moire":{"score":0.88},"texture":{"score":0.82},"supporting":{"score":0.79}}}"#).utf8)
    private static let weighted = ConfidenceRule(profile: .weighted)

    private func harness(
        _ rule: ConfidenceRule? = weighted, binding: BindingRule = BindingRule(), audit: Bool = false
    ) async throws -> ServiceHarness {
        try await ServiceHarness([
            .testing(.camera, binding: binding, keepsAuditClaims: audit, confidence: rule), .testing(.notes),
        ])
    }

    /// An upload whose payload is the document.
    private func upload(
        _ handset: inout Handset, in harness: ServiceHarness, _ signals: [UInt8] = document
    ) async throws -> VerificationRequest {
        var request = try handset.assertion(try await harness.challenge(.assert, app: handset.app), payload: signals)
        request.signals = signals
        return request
    }

    private func notes(_ verdict: Assay_V1_Verdict) -> [String] {
        verdict.findings.filter { $0.check == "confidence" && $0.outcome == .note }.map(\.code)
    }

    @Test("Signals that the device signed give the worked example's score")
    func signed() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        let verdict = try await harness.verify(try await upload(&handset, in: harness))
        #expect(verdict.isAccepted && verdict.assurance == .secureElement && notes(verdict).isEmpty)
        let confidence = verdict.confidence
        #expect(confidence.level == .high && confidence.score.millionths == 940_800)
        #expect(confidence.weightedScore.millionths == 896_000 && confidence.crossValidation == .agree)
        #expect(confidence.platform == "ios" && confidence.hardware.level == "secure_enclave" && confidence.signals == .counted)
        let mediaHash = Data(repeating: 0xAB, count: 32)
        #expect(confidence.mediaSha256 == [mediaHash])
        let model = try EvidenceModel(parsing: Array(confidence.evidenceModelJson.utf8))
        #expect(model.scene?.documentDigest == ClientData.payloadHash(Self.document))
        #expect(verdict.bound.payloadSha256 == Data(ClientData.payloadHash(Self.document)))
        #expect(model.hardware?.simulated == true, "the phone's authority is a test root")
    }

    @Test("Signals do not count where the device signed another payload, or none")
    func unsigned() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        for payload in [nil, [], [7], Self.document + [0x20]] as [[UInt8]?] {
            var request = try handset.assertion(try await harness.challenge(.assert), payload: payload)
            request.signals = Self.document
            let verdict = try await harness.verify(request)
            #expect(verdict.isAccepted && notes(verdict) == ["signals_not_bound"], "\(payload?.count ?? -1) bytes")
            #expect(verdict.confidence.level == .low && !verdict.confidence.hasScore)
            #expect(verdict.confidence.signals == .notBound && verdict.confidence.mediaSha256.isEmpty)
        }
    }

    @Test("Signals do not count under a binding that binds no payload")
    func otherBindings() async throws {
        let embedded = try #require(EmbeddedChallenge(place: .offset(0), encoding: .raw))
        let harness = try await harness(
            binding: BindingRule(embedded: embedded, callerOwned: CallerOwnedRule(spendEvidenceFor: nil)))
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        let data = challenge + ClientData.payloadHash(Self.document)
        let hash = ClientData.payloadHash(Self.document)
        let requests = [
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: challenge,
                evidence: [try handset.assertion(over: Binding(embedded: data).clientDataHash)], binding: .embedded(data),
                signals: Self.document),
            // The caller's hash is the document's own digest: the caller may have chosen it.
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: [], evidence: [try handset.assertion(over: hash)],
                binding: .callerOwned(hash), signals: Self.document),
        ]
        for request in requests {
            let verdict = try await harness.verify(request)
            #expect(verdict.isAccepted && notes(verdict) == ["signals_not_bound"], "\(request.binding)")
            #expect(verdict.confidence.signals == .notBound && verdict.confidence.level == .low)
        }
    }

    @Test("Signals do not count beside evidence alone that is bound to nothing")
    func boundToNothing() async throws {
        let harness = try await ServiceHarness([
            AppProfile(
                id: .camera, verifiers: [DeviceCheckVerifier(policy: DeviceCheckPolicy())],
                answerSources: [.deviceCheck: UnsetBits()], policyDigest: [1], confidence: Self.weighted)
        ])
        let verdict = try await harness.verify(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: try await harness.challenge(.assert),
                evidence: [Evidence(format: .deviceCheck, keyID: [], body: [1])],
                binding: .clientData(payloadHash: ClientData.payloadHash(Self.document)), signals: Self.document))
        #expect(verdict.isAccepted && notes(verdict) == ["signals_not_bound"] && verdict.assurance == .platform)
        #expect(verdict.confidence.platform == "ios" && verdict.confidence.hardware.status == .unavailable)
        #expect(verdict.confidence.level == .low && !verdict.confidence.hasScore)
    }

    @Test("A signed payload that is no document of signals is noted, and counts for nothing")
    func malformed() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        let twice = Array(#"{"version":1,"version":1,"media":[],"signals":{}}"#.utf8)
        for document in [twice, [0xFF, 0xD8, 0xFF], Array("{}".utf8)] {
            let verdict = try await harness.verify(try await upload(&handset, in: harness, document))
            #expect(verdict.isAccepted && notes(verdict) == ["signals_malformed"])
            #expect(verdict.confidence.signals == .malformed && verdict.confidence.level == .low)
        }
    }

    @Test("An app without a rule has no confidence, and says that signals were not used")
    func noRule() async throws {
        let harness = try await harness(nil)
        var (handset, _) = try await harness.enrol()
        let verdict = try await harness.verify(try await upload(&handset, in: harness))
        #expect(verdict.isAccepted && !verdict.hasConfidence && notes(verdict) == ["signals_not_used"])
        let plain = try await harness.assert(&handset)
        #expect(plain.isAccepted && !plain.hasConfidence && notes(plain).isEmpty)
    }

    @Test("Signals that disagree are noted")
    func disagreeing() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        let document = Array(String(decoding: Self.document, as: UTF8.self).replacing("0.88", with: "0.08").utf8)
        let verdict = try await harness.verify(try await upload(&handset, in: harness, document))
        #expect(verdict.isAccepted && notes(verdict) == ["signals_disagree"] && verdict.confidence.level == .medium)
    }

    // MARK: Documents of version 2

    /// A document whose capture was made at the time of its receipt, with further members.
    private func capture(_ members: String..., at time: Timestamp = ServiceHarness.opening) -> [UInt8] {
        let version1 = String(decoding: Self.document, as: UTF8.self).dropLast().replacing(
            "\"version\":1", with: "\"version\":2")
        let metadata = #""metadata":{"captured_at":"\#(time)","model":"iPhone 15 Pro"}"#
        return Array((([String(version1), metadata] + members).joined(separator: ",") + "}").utf8)
    }

    @Test("In the profile suite a capture of an iPhone with LiDAR is very_high, with level_of_four high")
    func suite() async throws {
        let harness = try await harness(ConfidenceRule(profile: .suite, required: .high), audit: true)
        var (handset, _) = try await harness.enrol()
        let verdict = try await harness.verify(try await upload(&handset, in: harness, capture()))
        #expect(verdict.isAccepted && notes(verdict).isEmpty, "\(verdict.detail)")
        let confidence = verdict.confidence
        #expect(confidence.level == .veryHigh && confidence.levelOfFour == .high && confidence.profile == "suite")
        #expect(confidence.disagreementScore.millionths == 55_000 && confidence.deviceKind == "iphone_lidar")
        #expect(confidence.breakdown.allSatisfy { $0.source == .device })
        let model = try EvidenceModel(parsing: Array(confidence.evidenceModelJson.utf8))
        #expect(model.level == .veryHigh && model.suite?.hardware?.deviceModel == "iPhone 15 Pro")
        #expect(model.suite?.hardware?.simulated == true, "the phone's authority is a test root")
        let kept = try await harness.call(
            API.getAuditClaims, Assay_V1_GetAuditClaimsRequest.with { ($0.app, $0.number) = ("camera", 2) })
        #expect(Claims(kept.claims).text("confidence_level") == "very_high")
    }

    @Test("The time of a capture is compared with that of its receipt")
    func captureTime() async throws {
        let harness = try await harness(ConfidenceRule(profile: .suite))
        var (handset, _) = try await harness.enrol()
        let opening = ServiceHarness.opening
        for (milliseconds, level, found) in [
            (-900_000, .veryHigh, []), (-901_000, .medium, ["capture_time_off"]), (900_000, .veryHigh, []),
            (901_000, .medium, ["capture_time_off"]),
        ] as [(Int64, Assay_V1_Confidence.Level, [String])] {
            let document = capture(at: opening.adding(milliseconds: milliseconds))
            let verdict = try await harness.verify(try await upload(&handset, in: harness, document))
            #expect(verdict.isAccepted && verdict.confidence.level == level && notes(verdict) == found, "\(milliseconds) ms")
        }
    }

    @Test("Metadata that violate their own flags are noted, and rejected where the app's rule says so")
    func violatedFlags() async throws {
        let document = capture(#""flags":{"device":"none"}"#)
        for rejects in [false, true] {
            let harness = try await harness(ConfidenceRule(profile: .suite, rejectsViolatedFlags: rejects))
            var (handset, _) = try await harness.enrol()
            let verdict = try await harness.verify(try await upload(&handset, in: harness, document))
            #expect(notes(verdict).contains("metadata_flags_violated"))
            #expect(verdict.isAccepted == !rejects && verdict.confidence.level == (rejects ? .rejected : .medium))
            guard rejects else { continue }
            #expect(verdict.rejection == .metadataFlagsViolated && verdict.check == "confidence" && verdict.retry == .never)
            #expect(verdict.detail == "flags.device is none, and metadata.model is there")
        }
    }

    @Test("An upload of hashes alone counts up to 10240 bytes of document and evidence together")
    func hashOnly() async throws {
        let harness = try await harness(ConfidenceRule(profile: .suite))
        var (handset, _) = try await harness.enrol()
        let short = capture(#""mode":"hash_only""#)
        let probe = try await upload(&handset, in: harness, short)
        let evidence = probe.evidence.reduce(0) { $0 + $1.size }
        // The length of a signature in DER varies by a few bytes.
        for (excess, signals) in [(-16, Assay_V1_Confidence.Signals.counted), (16, .malformed)] {
            let padding = [UInt8](repeating: 0x20, count: SignalDocument.hashOnlyLimit - evidence - short.count + excess)
            let verdict = try await harness.verify(try await upload(&handset, in: harness, short + padding))
            #expect(verdict.isAccepted && verdict.confidence.signals == signals, "\(excess): \(notes(verdict))")
        }
    }

    // MARK: The demanded level

    @Test("A capture below the demanded level is rejected, spends nothing, and keeps its level in the verdict")
    func demanded() async throws {
        let harness = try await harness(ConfidenceRule(profile: .weighted, required: .high))
        var (handset, device) = try await harness.enrol()
        let document = Array(String(decoding: Self.document, as: UTF8.self).replacing("0.95", with: "0.5").utf8)
        let request = try await upload(&handset, in: harness, document)
        let verdict = try await harness.verify(request)
        #expect(verdict.rejection == .confidenceTooLow && verdict.check == "confidence" && verdict.retry == .newChallenge)
        #expect(verdict.detail == "the level is medium, want at least high")
        #expect(verdict.assurance == .none && DeviceID(bytes: Array(verdict.deviceID)) == device)
        #expect(verdict.confidence.level == .medium && verdict.confidence.hasScore)
        #expect(try await harness.verify(request).rejection == .confidenceTooLow, "neither challenge nor counter was spent")
        #expect(harness.ledger.memory.auditLog.count == 1, "the registration alone")
        #expect(try await harness.verify(try await upload(&handset, in: harness)).isAccepted)
        #expect(try await harness.assert(&handset).rejection == .confidenceTooLow, "a capture without signals is low")
    }

    @Test("A registration is no capture unless it has signals; then the demanded level counts")
    func registration() async throws {
        let harness = try await harness(ConfidenceRule(profile: .weighted, required: .medium))
        let (_, _) = try await harness.enrol()
        for (signals, isAccepted) in [(Self.document, true), (Array(#"{"version":1}"#.utf8), false)] {
            let handset = Handset()
            var request = try handset.registration(try await harness.challenge(.register), payload: signals)
            request.signals = signals
            let verdict = try await harness.verify(request)
            #expect(verdict.isAccepted == isAccepted && (verdict.confidence.level == .high) == isAccepted)
        }
    }

    // MARK: Attestation first

    @Test("The best signals change no rejection, and a rejected verdict has the level rejected")
    func rejections() async throws {
        let harness = try await harness()
        var (handset, device) = try await harness.enrol()
        let good = try await upload(&handset, in: harness)
        try #require(try await harness.verify(good).isAccepted)
        let stranger = Handset(authority: Handset.stranger)
        var unknown = Handset()
        var forged = try await upload(&handset, in: harness)
        forged.binding = .clientData(payloadHash: ClientData.payloadHash([1]))
        var otherDevice = try await upload(&handset, in: harness)
        otherDevice.expectedDevice = DeviceID(bytes: [UInt8](repeating: 1, count: 16))
        var otherContext = try await upload(&handset, in: harness)
        otherContext.context = [1]
        let requests: [(VerificationRequest, ReasonCode)] = [
            (good, .counterNotIncreasing), (forged, .badSignature), (otherDevice, .deviceMismatch),
            (otherContext, .challengeInvalid), (try await upload(&unknown, in: harness), .unknownDevice),
            (
                try stranger.registration(try await harness.challenge(.register), payload: Self.document), .untrustedRoot
            ),
        ]
        for (plain, code) in requests {
            var request = plain
            request.signals = []
            #expect(try await harness.verify(request).rejection == code)
            request.signals = Self.document
            let verdict = try await harness.verify(request)
            #expect(verdict.rejection == code && verdict.assurance == .none)
            #expect(verdict.confidence.level == .rejected && !verdict.confidence.hasScore, "\(code)")
            #expect(verdict.confidence.signals == .notJudged && verdict.confidence.mediaSha256.isEmpty)
        }
        let block = Assay_V1_BlockRequest.with {
            ($0.app, $0.reason) = ("camera", "stolen")
            $0.target = .with { $0.deviceID = Data(device.bytes) }
        }
        _ = try await harness.call(API.block, block)
        let blocked = try await harness.verify(try await upload(&handset, in: harness))
        #expect(blocked.rejection == .deviceBlocked && blocked.confidence.level == .rejected)
    }

    @Test("Random signals change neither decision, reason nor assurance of any answer")
    func random() async throws {
        var numbers = SeededNumbers(seed: 20_261_123)
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        for round in 0..<60 {
            let members = ["lidar", "moire", "texture", "supporting", "metadata"].map { name in
                #""\#(name)":{"score":\#(Double(Int.random(in: 0...1000, using: &numbers)) / 1000)}"#
            }
            let digest = Hex.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &numbers) })
            let document = Array(
                #"{"version":1,"media":[{"sha256":"\#(digest)"}],"signals":{\#(members.joined(separator: ","))}}"#.utf8)
            var request = try await upload(&handset, in: harness, document)
            let isForged = round.isMultiple(of: 3)
            if isForged { request.evidence = [try handset.assertion(over: ClientData.payloadHash([UInt8(round)]))] }
            let verdict = try await harness.verify(request)
            #expect(verdict.isAccepted == !isForged && verdict.assurance == (isForged ? .none : .secureElement))
            #expect(verdict.rejection == (isForged ? .badSignature : nil))
            #expect((verdict.confidence.level == .rejected) == isForged && verdict.confidence.hasScore == !isForged)
        }
    }

    // MARK: Android

    @Test(
        "An Android device's level comes from its attestation, at registration and at each capture",
        arguments: [
            (VirtualAndroid.Level.strongBox, "strongbox", Assay_V1_Confidence.Level.mediumHigh, 980_000),
            (.trustedEnvironment, "tee", .medium, 920_000),
        ] as [(VirtualAndroid.Level, String, Assay_V1_Confidence.Level, UInt32)])
    func android(
        _ level: VirtualAndroid.Level, _ name: String, _ expected: Assay_V1_Confidence.Level, _ weighted: UInt32
    ) async throws {
        let harness = try await ServiceHarness.android(confidence: Self.weighted)
        var phone = VirtualAndroid.testing(level)
        let key = try phone.makeKey(.p256)
        let registered = try await harness.verify(try key.registration(try await harness.challenge(.register)))
        #expect(registered.isAccepted && registered.confidence.hardware.level == name && registered.confidence.level == .low)
        let document = Array(
            (#"{"version":1,"media":[{"sha256":"\#(String(repeating: "0", count: 64))"}],"signals":"#
                + #"{"parallax":{"score":1},"moire":{"score":1},"texture":{"score":0.9},"supporting":{"score":1}}}"#).utf8)
        let verdict = try await harness.verify(try key.upload(try await harness.challenge(.assert), signals: document))
        #expect(verdict.isAccepted && verdict.confidence.platform == "android" && verdict.confidence.hardware.level == name)
        #expect(verdict.confidence.level == expected && verdict.confidence.weightedScore.millionths == weighted)
    }

    @Test("A token of another platform beside an Android device does not move it to that platform's table")
    func supplement() async throws {
        let android = try #require(try await ServiceHarness.android().apps[.camera])
        let harness = try await ServiceHarness([
            AppProfile(
                id: .camera, verifiers: Array(android.verifiers.values) + [DeviceCheckVerifier(policy: DeviceCheckPolicy())],
                answerSources: [.deviceCheck: UnsetBits()], revocation: RevocationBoard(), policyDigest: [1],
                acceptsSimulated: true, confidence: Self.weighted)
        ])
        var phone = VirtualAndroid.testing(.strongBox)
        let key = try phone.makeKey(.p256)
        try #require(try await harness.verify(try key.registration(try await harness.challenge(.register))).isAccepted)
        var request = try key.upload(try await harness.challenge(.assert), signals: Self.document)
        request.evidence.insert(Evidence(format: .deviceCheck, keyID: [], body: [1]), at: 0)
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted && verdict.confidence.platform == "android", "\(verdict.reason)")
        #expect(verdict.confidence.hardware.level == "strongbox" && verdict.confidence.level == .mediumHigh)
    }

    // MARK: Idempotency, certificates, audit

    @Test("A repeated verdict has the confidence of the first; other signals under its key are another request")
    func repeated() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        var request = try await upload(&handset, in: harness)
        request.idempotencyKey = [1]
        let first = try await harness.verify(request)
        let second = try await harness.verify(request)
        #expect(first.isAccepted && second.repeated && second.confidence == first.confidence)
        request.signals = []
        #expect(try await harness.verify(request).rejection == .idempotencyKeyReused)
    }

    @Test("A request for a certificate is about no capture: it has no confidence, and no level is demanded")
    func certificates() throws {
        let rule = ConfidenceRule(profile: .weighted, required: .high)
        let request = VerificationRequest(app: .camera, purpose: .renew, challenge: [], evidence: [])
        let admitted = AuthorizedRequest(
            request: request, profile: try .testing(.camera, confidence: rule), caller: .demo, now: ServiceHarness.opening,
            requestID: [], step: NoStep())
        #expect(admitted.confidenceRule == nil && !admitted.assessesConfidence)
    }

    @Test("The level stands among the claims that are kept beside the audit record")
    func audit() async throws {
        let harness = try await harness(audit: true)
        var (handset, _) = try await harness.enrol()
        try #require(try await harness.verify(try await upload(&handset, in: harness)).isAccepted)
        let kept = try await harness.call(
            API.getAuditClaims, Assay_V1_GetAuditClaimsRequest.with { ($0.app, $0.number) = ("camera", 2) })
        let claims = Claims(kept.claims)
        #expect(kept.genuine && claims.text("confidence_level") == "high" && claims.text("confidence_score") == "0.9408")
    }
}

/// A step that is never performed.
private struct NoStep: AcceptanceStep {
    let method = "/none"
    let digest: [UInt8] = []
    func perform(on decided: DecidedRequest) async throws(StageError) -> AcceptanceResult { throw .abandoned }
    func isSimulated(_ message: [UInt8]) -> Bool { true }
}

/// The vendor's answer that the bits of a device were never set.
struct UnsetBits: AnswerSource {
    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer {
        .stated(Claims([.init(name: "bits_set", value: .boolean(false))]))
    }
}
