import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

/// A blocked subject is refused whatever evidence comes with it, also where no device of its own is named.
@Suite("Blocked subject")
struct BlockedSubjectTests {
    private static let anna = Array("anna".utf8)

    /// An app whose tokens name no device, as those of Play Integrity and DeviceCheck. The vendor counts its questions.
    private static func tokens(_ vendor: CountingVendor, binding: BindingRule = BindingRule()) -> AppProfile {
        AppProfile(
            id: .camera, verifiers: [TokenVerifier()], answerSources: [.playIntegrity: vendor], binding: binding,
            policyDigest: [1])
    }

    private func token(_ harness: ServiceHarness, subject: [UInt8] = anna, key: [UInt8] = []) async throws
        -> VerificationRequest
    {
        VerificationRequest(
            app: .camera, purpose: .assert, challenge: try await harness.challenge(.assert),
            evidence: [Evidence(format: .playIntegrity, keyID: [], body: SecureRandom.bytes(16))], subject: subject,
            idempotencyKey: key)
    }

    /// Sets or lifts the block of the subject, through the service.
    private func block(_ harness: ServiceHarness, _ isWanted: Bool = true) async throws {
        if isWanted {
            let request = Assay_V1_BlockRequest.with {
                ($0.app, $0.target.subject, $0.reason) = ("camera", .init(Self.anna), "r")
            }
            _ = try await harness.call(API.block, request)
        } else {
            let request = Assay_V1_UnblockRequest.with { ($0.app, $0.target.subject) = ("camera", .init(Self.anna)) }
            _ = try await harness.call(API.unblock, request)
        }
    }

    @Test("is refused with a token that names no device, before the vendor is asked")
    func noDevice() async throws {
        let vendor = CountingVendor()
        let harness = try await ServiceHarness([Self.tokens(vendor)])
        #expect(try await harness.verify(try await token(harness)).isAccepted)
        try await block(harness)
        let verdict = try await harness.verify(try await token(harness))
        #expect(verdict.rejection == .deviceBlocked && verdict.check == "registry" && verdict.retry == .contactOperator)
        #expect(vendor.questions == 1 && harness.ledger.asked(.commit) == 1, "a blocked subject costs no question")
        #expect(try await harness.verify(try await token(harness, subject: Array("berta".utf8))).isAccepted)
        #expect(try await harness.verify(try await token(harness, subject: [])).isAccepted)
        try await block(harness, false)
        #expect(try await harness.verify(try await token(harness)).isAccepted)
    }

    @Test("is refused with a device that was registered without a subject")
    func unownedDevice() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        try await block(harness)
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.subject = Self.anna
        let verdict = try await harness.verify(request)
        #expect(verdict.rejection == .deviceBlocked && verdict.check == "registry")
        #expect(try await harness.ledger.device(device)?.counter == 0)
        request.subject = []
        #expect(try await harness.verify(request).isAccepted, "the device has no subject, and the request names none")
    }

    @Test("is refused with a hash that the caller vouches for")
    func callerOwned() async throws {
        let binding = BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: 60_000))
        let tokens = try await ServiceHarness([Self.tokens(CountingVendor(), binding: binding)])
        var request = try await token(tokens)
        (request.challenge, request.binding) = ([], .callerOwned([7]))
        try await block(tokens)
        #expect(try await tokens.verify(request).rejection == .deviceBlocked)
        try await block(tokens, false)
        #expect(try await tokens.verify(request).isAccepted)

        let devices = try await ServiceHarness([.testing(.camera, binding: binding)])
        var (handset, _) = try await devices.enrol()
        try await block(devices)
        let assertion = VerificationRequest(
            app: .camera, purpose: .assert, challenge: [], evidence: [try handset.assertion(over: [7])],
            binding: .callerOwned([7]), subject: Self.anna)
        #expect(try await devices.verify(assertion).rejection == .deviceBlocked)
    }

    @Test("gets no stored verdict, whether it names a device or not")
    func stored() async throws {
        let tokens = try await ServiceHarness([Self.tokens(CountingVendor())])
        let devices = try await ServiceHarness()
        var (handset, _) = try await devices.enrol()
        var assertion = try handset.assertion(try await devices.challenge(.assert))
        (assertion.subject, assertion.idempotencyKey) = (Self.anna, [1])
        for (harness, request) in [(tokens, try await token(tokens, key: [1])), (devices, assertion)] {
            #expect(try await harness.verify(request).isAccepted)
            #expect(try await harness.verify(request).repeated)
            try await block(harness)
            let verdict = try await harness.verify(request)
            #expect(verdict.rejection == .deviceBlocked && !verdict.repeated)
            try await block(harness, false)
            #expect(try await harness.verify(request).repeated)
        }
    }

    @Test("is refused when the block comes between appraisal and commit", arguments: [false, true])
    func meanwhile(isStored: Bool) async throws {
        let tokens = try await ServiceHarness([Self.tokens(CountingVendor())])
        let devices = try await ServiceHarness()
        var (handset, device) = try await devices.enrol()
        var assertion = try handset.assertion(try await devices.challenge(.assert))
        (assertion.subject, assertion.idempotencyKey) = (Self.anna, [1])
        for (harness, request) in [(tokens, try await token(tokens, key: [1])), (devices, assertion)] {
            harness.ledger.before(.commit) { [memory = harness.ledger.memory] in
                // Another daemon accepted the same request a moment ago.
                if isStored { _ = try? await ServiceHarness(harness.apps.all, ledger: WatchedLedger(memory)).verify(request) }
                try? await block(harness)
            }
            let verdict = try await harness.verify(request)
            #expect(verdict.rejection == .deviceBlocked && verdict.check == "commit" && verdict.assurance == .none)
        }
        #expect(try await devices.ledger.device(device)?.counter == (isStored ? 1 : 0))
        #expect(tokens.ledger.memory.auditLog.count == (isStored ? 1 : 0))
    }

    @Test("is not judged where the ledger cannot say whether it is blocked")
    func outage() async throws {
        let vendor = CountingVendor()
        let harness = try await ServiceHarness([Self.tokens(vendor)])
        let request = try await token(harness)
        harness.ledger.fail(.subject, with: .unavailable("test"))
        #expect(try await harness.failure(request)?.code == .unavailable)
        #expect(vendor.questions == 0)
        harness.ledger.fail(.subject, with: nil)
        #expect(try await harness.verify(request).isAccepted, "nothing was spent")
    }
}

/// Accepts what its vendor answered for.
private struct TokenVerifier: EvidenceVerifier {
    let format = EvidenceFormat.playIntegrity
    let purposes: Set<Purpose> = [.assert]
    let sizeLimit = 100
    let replayProtection = ReplayProtection.challenge()

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .outsideAnswer }
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.require("vendor", context.facts.outsideAnswer == .answered(evidence.body), else: .vendorRefused, "")
        appraisal.assurance = .platform
    }
}

/// Answers with the evidence itself.
private final class CountingVendor: AnswerSource {
    private let count = Mutex(0)
    var questions: Int { count.withLock { $0 } }

    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer {
        count.withLock { $0 += 1 }
        return .answered(evidence.body)
    }
}
