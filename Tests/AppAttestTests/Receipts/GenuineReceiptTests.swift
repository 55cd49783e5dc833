import AppAttest
import AssayCore
import Testing

/// The collection's attestations that a device and Apple's service made: their receipts are genuine too.
@Suite("Receipts inside genuine attestations", .enabled(if: Vector.folder != nil))
struct GenuineReceiptTests {
    static let vectors = Vector.all("app-attest.attestation").filter {
        $0.expect.verdict == "accept" && !$0.id.hasPrefix("synthetic-")
    }

    @Test("Genuine receipts are verified, except for one whose signature covers something else", arguments: vectors)
    func verified(_ vector: Vector) throws {
        let appraisal = try vector.verifier().appraise(vector.evidence(), in: vector.context())
        #expect(appraisal.failure == nil)
        if vector.id == "webauthn4j-ios14-production-attestation" {
            // Signed attributes, and a signature over the content: OpenSSL refuses it as well.
            #expect(appraisal.claims["receipt_verified"] == .boolean(false))
            #expect(appraisal.findings.last?.check == "receipt_signature" && appraisal.findings.last?.outcome == .note)
            #expect(appraisal.findings.last?.code == ReasonCode.badSignature.rawValue)
        } else {
            #expect(appraisal.claims["receipt_verified"] == .boolean(true))
            #expect(appraisal.claims.text("receipt_type") == "ATTEST")
            #expect(appraisal.findings.allSatisfy { $0.outcome == .pass || !$0.check.hasPrefix("receipt_") })
        }
    }
}
