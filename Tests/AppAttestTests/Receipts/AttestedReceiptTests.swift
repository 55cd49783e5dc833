import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@testable import AppAttest

@Suite("Receipts inside attestations")
struct AttestedReceiptTests {
    static let require = AppAttestPolicy(receipt: ReceiptRule(mode: .require))
    static let off = AppAttestPolicy(receipt: ReceiptRule(mode: .off))
    static let foreign = AttestationChanges.genuine.receipt(.genuine.fields { $0.set(2, Sample.otherAppID) })

    static func appraise(
        _ changes: AttestationChanges, policy: AppAttestPolicy = AppAttestPolicy(), receiptAnchors: [TrustAnchor]? = nil,
        now: Timestamp = Sample.now
    ) throws -> Appraisal {
        var phone = Sample.phone()
        let verifier = AppAttestAttestationVerifier(
            identities: [Sample.identity()], anchors: try Sample.anchors(),
            receiptAnchors: try receiptAnchors ?? Sample.anchors(), policy: policy, links: LinkCache())
        return verifier.appraise(
            try Sample.attest(phone.makeKey(), changes: changes), in: AppraisalContext(binding: Sample.binding(), now: now))
    }

    @Test("A receipt is verified by default, and its fields are claimed")
    func verified() throws {
        for policy in [AppAttestPolicy(), Self.require] {
            let appraisal = try Self.appraise(.genuine, policy: policy)
            #expect(appraisal.failure == nil && appraisal.assurance == .secureElement)
            #expect(appraisal.claims["receipt_verified"] == .boolean(true))
            #expect(appraisal.claims.text("receipt_type") == "ATTEST")
            #expect(appraisal.claims["receipt_creation_time"] == .time(Sample.now))
        }
    }

    @Test("A failing receipt is a note by default, and none of its fields is claimed")
    func reported() throws {
        let appraisal = try Self.appraise(Self.foreign)
        #expect(appraisal.failure == nil && appraisal.assurance == .secureElement)
        let last = try #require(appraisal.findings.last)
        #expect(last.check == "receipt_app_id" && last.outcome == .note && last.code == "app_id_mismatch")
        #expect(appraisal.claims["receipt_verified"] == .boolean(false) && appraisal.claims["receipt_type"] == nil)
        guard case .register(let registration) = appraisal.effect else { throw Refused(findings: appraisal.findings) }
        #expect(registration.claims == appraisal.claims)
    }

    @Test("A failing receipt rejects if the app requires receipts, each with its own reason")
    func required() throws {
        for (receipt, code) in [
            (.genuine.fields { $0.set(2, Sample.otherAppID) }, ReasonCode.appIDMismatch),
            (.genuine.bytes { $0 = [1, 2, 3] }, .malformedCMS),
            (.genuine.fields { $0[4] = [9] }, .receiptClientHashMismatch),
            (.genuine.signer { $0[ExtensionName.appleReceiptSigner] = nil }, .receiptSignerUnexpected),
        ] as [(ReceiptChanges, ReasonCode)] {
            let appraisal = try Self.appraise(.genuine.receipt(receipt), policy: Self.require)
            #expect(appraisal.failure?.code == code.rawValue && appraisal.findings.last?.outcome == .fail)
            if case .none = appraisal.effect {} else { Issue.record("a rejected attestation changes something") }
        }
    }

    @Test("A receipt is not checked if the app turns receipts off")
    func off() throws {
        let appraisal = try Self.appraise(.genuine.receipt(.genuine.bytes { $0 = [1] }), policy: Self.off)
        #expect(appraisal.failure == nil)
        #expect(appraisal.findings.last == Finding(check: "receipt_signature", outcome: .skipped))
        #expect(appraisal.claims["receipt_verified"] == nil)
    }

    @Test("A receipt of another attestation of the same phone is refused")
    func swapped() throws {
        var phone = Sample.phone()
        _ = phone.makeKey()
        let other = try phone.makeKey().receipt(clientDataHash: Sample.clientDataHash, at: Sample.now)
        let changes = AttestationChanges.genuine.statement { $0["receipt"] = CBORWriter.bytes(other) }
        #expect(try Self.appraise(changes, policy: Self.require).failure?.code == ReasonCode.publicKeyMismatch.rawValue)
    }

    @Test("Receipts have roots of their own")
    func anchors() throws {
        let apple = TrustAnchor.appAttestReceipt
        let strict = try Self.appraise(.genuine, policy: Self.require, receiptAnchors: apple)
        #expect(strict.failure?.code == ReasonCode.untrustedRoot.rawValue)
    }

    @Test("A receipt under a test root makes the registration simulated")
    func simulated() throws {
        // As if the attestation were Apple's: its root is not a test authority's.
        let genuine = [try TrustAnchor(name: "as genuine", pem: Sample.authority.rootPEM, simulated: false)]
        for (receiptAnchors, simulated) in [(try Sample.anchors(), true), (genuine, false), ([], false)] {
            var phone = Sample.phone()
            let verifier = AppAttestAttestationVerifier(
                identities: [Sample.identity()], anchors: genuine, receiptAnchors: receiptAnchors, policy: AppAttestPolicy(),
                links: LinkCache())
            let appraisal = verifier.appraise(try Sample.attest(phone.makeKey()), in: Sample.context(nil))
            guard case .register(let registration) = appraisal.effect else { throw Refused(findings: appraisal.findings) }
            #expect(registration.simulated == simulated && appraisal.simulated == simulated)
        }
    }

    @Test("A receipt may be as old as the app allows")
    func age() throws {
        let late = Sample.now.adding(milliseconds: 20 * Sample.minute)
        #expect(try Self.appraise(.genuine, policy: Self.require, now: late).failure?.code == "receipt_too_old")
        let patient = AppAttestPolicy(receipt: ReceiptRule(mode: .require, maxAgeMilliseconds: 30 * Sample.minute))
        #expect(try Self.appraise(.genuine, policy: patient, now: late).failure == nil)
    }

    @Test("A device whose receipt was not verified is refused once the app requires receipts")
    func laterPolicy() throws {
        for (changes, then, accepted) in [
            (AttestationChanges.genuine, AppAttestPolicy(), true), (Self.foreign, AppAttestPolicy(), false),
            (.genuine, Self.off, false),
        ] {
            var phone = Sample.phone()
            var key = phone.makeKey()
            let device = try Sample.device(try Sample.register(key, changes: changes, policy: then))
            let assertion = try Sample.assert(&key)
            let today = try Sample.assertionVerifier(policy: Self.require).appraise(assertion, in: Sample.context(device))
            #expect(today.failure?.code == (accepted ? nil : ReasonCode.receiptNotVerified.rawValue))
            let lenient = try Sample.assertionVerifier().appraise(assertion, in: Sample.context(device))
            #expect(lenient.failure == nil)
        }
    }
}
