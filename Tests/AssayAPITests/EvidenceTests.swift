import AssayAPI
import AssayCore
import Testing

@Suite("Evidence")
struct EvidenceTests {
    @Test("comes back from its message as it was", arguments: [EvidenceFormat.appAttestAttestation, .appAttestAssertion])
    func roundTrip(_ format: EvidenceFormat) throws {
        let evidence = Evidence(format: format, keyID: bytes(32, 1), body: bytes(500, 2))
        let message = try #require(evidence.message)
        let read = try Evidence(message)
        #expect(read == evidence)
        #expect(read.digest == evidence.digest)
    }

    @Test("of a format without a message has none")
    func unknownFormat() {
        #expect(Evidence(format: EvidenceFormat(rawValue: "tarot"), keyID: [], body: []).message == nil)
    }

    @Test("without a kind is refused")
    func unset() {
        #expect(throws: RequestError("evidence", "must be of a kind that this version knows")) {
            try Evidence(Assay_V1_Evidence())
        }
    }
}
