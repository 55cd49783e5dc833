import AssayAPI
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

/// The harness judges every verdict again from its recording (`ReplayedVerdict.swift`); here every reason is given once.
@Suite("Reasons that a replay gives")
struct ReplayedReasonTests {
    @Test("A verifier's reason, of the form of the evidence and of a check", arguments: ReasonCode.allCases)
    func verifiers(_ code: ReasonCode) async throws {
        for isOfForm in [true, false] {
            let verifier = Refusing(rejection: Rejection(code, "told by a test"), isOfForm: isOfForm)
            let harness = try await ServiceHarness([AppProfile(id: .camera, verifiers: [verifier], policyDigest: [1])])
            let verdict = try await harness.verify(
                VerificationRequest(
                    app: .camera, purpose: .assert, challenge: try await harness.challenge(.assert),
                    evidence: [Evidence(format: verifier.format, keyID: [], body: [1])]))
            #expect(verdict.rejection == code && verdict.check == (isOfForm ? "evidence" : "told"))
            let recorded = try #require(try await harness.recordings.all().last)
            #expect(Recording(decoding: recorded.recording)?.isPolicyDecision == true)
        }
    }

    /// Asks once, and returns the reason of a verdict that the policy decided.
    private func reason(_ harness: ServiceHarness, _ request: VerificationRequest) async throws -> String {
        let verdict = try await harness.verify(request)
        let recorded = try #require(try await harness.recordings.all().last)
        let recording = try #require(Recording(decoding: recorded.recording))
        #expect(recording.isPolicyDecision, "\(verdict.check): \(verdict.reason)")
        return verdict.reason
    }

    @Test("The reasons of the rules of form")
    func form() async throws {
        let embedded = try #require(EmbeddedChallenge(place: .jsonMember(["challenge"]), encoding: .base64url))
        let harness = try await ServiceHarness([
            .testing(.camera), .testing(.notes, binding: BindingRule(payloadRequired: true, embedded: embedded)),
        ])
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.purpose = .register
        #expect(try await reason(harness, request) == "challenge_wrong_purpose")
        request.purpose = .assert
        request.challenge = [1]
        #expect(try await reason(harness, request) == "challenge_invalid")
        request = try handset.assertion(try await harness.challenge(.assert))
        request.binding = .clientData(payloadHash: [1])
        #expect(try await harness.pipeline.judge([harness.admitted(request)]).first?.rejection == .challengeInvalid)
        request.binding = .embedded(Array("{}".utf8))
        #expect(try await reason(harness, request) == "binding_not_allowed")
        var owned = request
        (owned.binding, owned.challenge) = (.callerOwned([UInt8](repeating: 1, count: 32)), [])
        #expect(try await reason(harness, owned) == "binding_not_allowed")
        request.binding = .clientData(payloadHash: nil)
        request.evidence[0] = Evidence(
            format: .appAttestAssertion, keyID: handset.key.keyID, body: [UInt8](repeating: 0, count: 20_000))
        #expect(try await reason(harness, request) == "evidence_too_large")
        request.evidence[0] = Evidence(format: .playIntegrity, keyID: [], body: Array("a.b.c".utf8))
        #expect(try await reason(harness, request) == "format_not_accepted")
        request.evidence[0] = Evidence(format: .safetyNet, keyID: [], body: [1])
        #expect(try await reason(harness, request) == "provider_deprecated")
        var notes = try Handset(app: .notes).registration(try await harness.challenge(.register, app: .notes))
        #expect(try await reason(harness, notes) == "payload_required")
        notes.binding = .embedded(Array(#"{"challenge":"AAAA"}"#.utf8))
        #expect(try await reason(harness, notes) == "client_data_mismatch")
        let late = try handset.assertion(try await harness.challenge(.assert))
        harness.clock.advance(milliseconds: 3_600_000)
        #expect(try await reason(harness, late) == "challenge_expired")
    }

    @Test("The reasons of the registry and of what an acceptance would be about")
    func registry() async throws {
        let harness = try await ServiceHarness([.testing(.camera, deviceFlags: DeviceFlagRule(rejected: ["farm"]))])
        var (handset, device) = try await harness.enrol(subject: [1])
        let (_, other) = try await harness.enrol(subject: [2])
        func assertion(_ change: (inout VerificationRequest) -> Void = { _ in }) async throws -> VerificationRequest {
            var request = try handset.assertion(try await harness.challenge(.assert))
            change(&request)
            return request
        }
        #expect(try await reason(harness, try await assertion { $0.expectedDevice = other }) == "device_mismatch")
        #expect(try await reason(harness, try await assertion { $0.subject = [3] }) == "key_owner_mismatch")
        var stranger = Handset()
        #expect(
            try await reason(harness, try stranger.assertion(try await harness.challenge(.assert))) == "unknown_device")
        var replacing = try Handset().registration(try await harness.challenge(.register))
        (replacing.replaces, replacing.subject) = (other, [1])
        #expect(try await reason(harness, replacing) == "replacement_refused")
        replacing.replaces = DeviceID.random()
        #expect(try await reason(harness, replacing) == "replacement_refused")
        let flag = DeviceFlag(
            name: "farm", setter: .plugin("anomaly"), detail: "", since: ServiceHarness.opening,
            until: ServiceHarness.opening.adding(milliseconds: 86_400_000))
        _ = try await harness.ledger.change(
            .set(flag), of: device, app: .camera, ChangeContext(.plugin("anomaly"), at: ServiceHarness.opening))
        #expect(try await reason(harness, try await assertion()) == "device_flagged")
        _ = try await harness.call(
            API.block, .with { ($0.app, $0.target.deviceID, $0.reason) = ("camera", Data(device.bytes), "lost") })
        #expect(try await reason(harness, try await assertion()) == "device_blocked")
        (replacing.replaces, replacing.subject) = (device, [1])
        #expect(try await reason(harness, replacing) == "device_blocked")
        _ = try await harness.call(
            API.block, .with { ($0.app, $0.target.subject, $0.reason) = ("camera", Data([7]), "fraud") })
        var blocked = try Handset().registration(try await harness.challenge(.register))
        blocked.subject = [7]
        #expect(try await reason(harness, blocked) == "device_blocked")
    }

    @Test("The reasons of pieces that go together, of test roots and of a registration of nothing")
    func pieces() async throws {
        let strict = try await ServiceHarness([.testing(.camera, acceptsSimulated: false)])
        let registration = try Handset().registration(try await strict.challenge(.register))
        #expect(try await reason(strict, registration) == "simulated_not_accepted")
        let whole = try AppProfile.testing(.camera)
        let together = AppProfile(
            id: .camera, verifiers: Array(whole.verifiers.values),
            requiredTogether: [.appAttestAttestation, .playIntegrity], policyDigest: [1], acceptsSimulated: true)
        let pairs = try await ServiceHarness([together])
        let alone = try Handset().registration(try await pairs.challenge(.register))
        #expect(try await reason(pairs, alone) == "evidence_missing")
        let token = AppProfile(id: .camera, verifiers: [Refusing(rejection: nil)], policyDigest: [1])
        let nothing = try await ServiceHarness([token])
        let request = VerificationRequest(
            app: .camera, purpose: .register, challenge: try await nothing.challenge(.register),
            evidence: [Evidence(format: .playIntegrity, keyID: [], body: [1])])
        #expect(try await reason(nothing, request) == "evidence_missing")
    }

    @Test(
        "A candidate refuses what it refuses live: evidence that the caller answers for, and formats whose provider was turned off"
    )
    func candidates() async throws {
        let spending = BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: 3_600_000))
        let now = try AppProfile.testing(.camera, binding: spending).followed(recording: .withEvidence)
        let harness = try await ServiceHarness([now])
        let hash = [UInt8](repeating: 0xAB, count: 20)
        let request = VerificationRequest(
            app: .camera, purpose: .register, challenge: [], evidence: [try Handset().attestation(over: hash)],
            binding: .callerOwned(hash))
        #expect(try await harness.verify(request).isAccepted)
        func replayed(_ candidate: AppProfile) async throws -> TrialOutcome? {
            let content = try #require(try await harness.recordings.all().first)
            let recording = try #require(Recording(decoding: content.recording))
            let evidence = harness.factRecorder.evidence(of: content).flatMap(RecordedEvidence.init(decoding:))
            let trial = RecordingTrial(candidate, changed: ["binding"], isShownByClaims: { _ in false })
            guard case .judged(let difference, true) = trial.judge(recording, evidence: evidence) else { return nil }
            return difference.after
        }
        let candidate = try AppProfile.testing(
            .camera, binding: BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: nil)))
        let live = try await ServiceHarness([candidate])
        #expect(try await live.verify(request).rejection == .bindingNotAllowed)
        #expect(
            try await replayed(candidate)
                == .rejected(
                    Rejection(.bindingNotAllowed, "evidence without a counter needs a challenge"), check: "binding"))
        let without = AppProfile(
            id: .camera, verifiers: [], discontinuedFormats: [.appAttestAttestation], binding: spending, policyDigest: [1])
        let turnedOff = try await replayed(without)
        guard case .rejected(let rejection, "evidence")? = turnedOff else {
            Issue.record("\(String(describing: turnedOff))")
            return
        }
        #expect(rejection.code == .providerDeprecated)
    }
}

/// Rejects evidence when it is read, or by its check `told`; accepts it without a rejection.
private struct Refusing: EvidenceVerifier {
    let format = EvidenceFormat.playIntegrity
    let purposes: Set<Purpose> = [.assert, .register]
    let sizeLimit = 100
    let replayProtection = ReplayProtection.challenge()
    let rejection: Rejection?
    var isOfForm = false

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
        if isOfForm, let rejection { throw rejection }
        return .nothing
    }

    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.check("told") { () throws(Rejection) -> Void in if let rejection { throw rejection } }
        appraisal.assurance = .hardware
    }
}
