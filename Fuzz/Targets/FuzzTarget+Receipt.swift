import AppAttest
import AssayCertificates
import AssayCore
import AssayEncoding

extension FuzzTarget {
    static func receipt(_ bytes: [UInt8]) {
        var reader = BERReader(bytes[...], code: .malformedCMS)
        while (try? reader.element()) != nil {}
        _ = AppAttestExplanation.receipt(bytes[...])
        // The signed fields alone, so that the fuzzer need not find a path to them through BER.
        _ = try? Receipt(payload: bytes[...])
        let verifier = ReceiptVerifier(anchors: TrustAnchor.appAttestReceipt, links: LinkCache())
        let expected = ReceiptExpectation(rpIDHash: [UInt8](repeating: 7, count: 32))
        _ = verifier.appraise(bytes[...], against: expected, .arriving(now))
    }
}
