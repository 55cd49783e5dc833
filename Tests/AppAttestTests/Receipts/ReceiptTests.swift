import AssayCertificates
import AssayCore
import AssaySimulator
import Testing

@testable import AppAttest

@Suite("Receipts")
struct ReceiptTests {
    @Test("Each case of a receipt has its outcome and reason", arguments: ReceiptCase.all)
    func outcome(_ receipt: ReceiptCase) throws {
        let appraisal = try receipt.appraise()
        #expect(appraisal.failure?.code == receipt.code?.rawValue, "\(appraisal.failure?.detail ?? "accepted")")
        #expect(appraisal.assurance == .none, "a receipt supports no assurance of its own")
        if case .none = appraisal.effect {} else { Issue.record("a receipt changes something") }
        if let failure = appraisal.failure {
            #expect(appraisal.findings.last == failure, "nothing is checked behind a failure")
            let authentic = appraisal.findings.contains { $0.check == "receipt_signature" && $0.outcome == .pass }
            if !authentic { #expect(appraisal.claims == Claims(), "nothing is claimed before the signature holds") }
        } else {
            #expect(appraisal.simulated)
        }
    }

    @Test("A sentence about a receipt names what it states, and never an empty value")
    func sentences() throws {
        func detail(_ changes: ReceiptChanges, _ change: @escaping @Sendable (inout ReceiptExpectation) -> Void = { _ in })
            throws
            -> String
        {
            let receipt = ReceiptCase(0, "changed", nil, changes) { $0.expect = change }
            return try #require(try receipt.appraise().failure).detail
        }
        #expect(try detail(.genuine.fields { $0[4] = nil }) == "the receipt has no client data hash (field 4)")
        #expect(try detail(.genuine.fields { $0.set(6, "attest") }) == "the receipt is of the type \"attest\", expected ATTEST")
        #expect(
            try detail(.genuine.fields { $0.set(7, "sandbox") })
                == "the receipt is of \"sandbox\", that of the production environment would be production")
        let longer = try detail(.genuine) { $0.clientDataHash = Sample.clientDataHash + [0] }
        #expect(longer.contains("(32 bytes)") && longer.contains("(33 bytes)"))
    }

    @Test("All fields of a receipt are claimed")
    func claims() throws {
        let claims = try ReceiptCase(0, "of the exchange", nil) { $0.kind = .receipt }.appraise().claims
        #expect(claims.text("app_id") == Sample.appID && claims.text("type") == "RECEIPT")
        #expect(claims.text("environment") == "production" && claims.integer("token_length") == 88)
        #expect(claims.integer("risk_metric") == 3)
        #expect(claims["creation_time"] == .time(Sample.now))
        #expect(claims["not_before"] == .time(Sample.now.adding(milliseconds: 1440 * Sample.minute)))
        #expect(claims["expiration_time"] == .time(Sample.now.adding(milliseconds: 90 * 1440 * Sample.minute)))
        #expect(claims["client_hash"] == .bytes(Sample.clientDataHash))
        var phone = Sample.phone()
        #expect(claims["public_key_x963"] == .bytes(phone.makeKey().publicKey))
        let attest = try ReceiptCase(0, "genuine", nil).appraise().claims
        #expect(attest["risk_metric"] == nil && attest["not_before"] == nil)
    }

    @Test("With a known signer each receipt costs one signature")
    func links() throws {
        let links = LinkCache()
        let verifier = ReceiptVerifier(anchors: try Sample.anchors(), links: links)
        for receipt in [ReceiptCase(0, "one", nil), ReceiptCase(0, "another", nil) { $0.phone = Sample.phone("18.5") }] {
            let (bytes, expectation) = try receipt.make()
            #expect(verifier.appraise(bytes[...], against: expectation, .arriving(Sample.now)).failure == nil)
            #expect(links.count == 3, "signer, intermediate, and the root that was sent")
        }
        // The link cache replaces neither the check of the dates nor that of the marker.
        let late = Sample.now.adding(milliseconds: 40 * 365 * 1440 * Sample.minute)
        let (bytes, expectation) = try ReceiptCase(0, "", nil).make()
        #expect(verifier.appraise(bytes[...], against: expectation, .arriving(late)).failure?.code == "expired")
    }
}
