import AppAttest
import AssayCertificates
import AssayCore
import AssaySchemes

/// Runs `app-attest.receipt` vectors: receipts of both types that arrive at the time of the vector.
struct ReceiptVectorRunner: VectorRunner {
    let kind = EvidenceFormat.appAttestReceipt.rawValue
    private let links = LinkCache()

    func judge(_ vector: Vector) throws(VectorError) -> VectorOutcome {
        let input = vector.input
        let environment = try input.environment()
        let maxAge: Int64? = try input.number("max_age_seconds").map { (seconds: Int32) in Int64(seconds) * 1000 }
        let expectation = ReceiptExpectation(
            rpIDHash: try input.identity(environments: [environment]).rpIDHash,
            publicKey: try input.text("public_key_b64") == nil ? nil : try input.publicKey("public_key_b64"),
            environment: environment, maxAgeMilliseconds: maxAge)
        let verifier = ReceiptVerifier(anchors: TrustAnchor.appAttestReceipt, links: links)
        // A receipt that is not even Base64 is a malformed one.
        let receipt = input.evidenceBytes("receipt_b64")
        return VectorOutcome(
            unassured: verifier.appraise(receipt[...], against: expectation, .arriving(vector.verifyAt)))
    }
}
