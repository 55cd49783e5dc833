import AssayAPI
import AssayCore
import Testing

@Suite("Evidence")
struct EvidenceTests {
    @Test("comes back from its message as it was", arguments: [EvidenceFormat.appAttestAttestation, .appAttestAssertion])
    func roundTrip(_ format: EvidenceFormat) throws {
        let evidence = Evidence(format: format, keyID: bytes(32, 1), body: bytes(500, 2))
        var request = try sampleRequest().message
        request.evidence = [try #require(evidence.message)]
        let back = try #require(try read(request).evidence.first)
        #expect(back == evidence)
        #expect(back.digest == evidence.digest)
    }

    @Test("of a format without a message has none")
    func unknownFormat() {
        #expect(Evidence(format: EvidenceFormat(rawValue: "tarot"), keyID: [], body: []).message == nil)
    }

    @Test("without a kind is refused")
    func unset() throws {
        let refused = try problem { $0.evidence = [Assay_V1_Evidence()] }
        #expect(refused == RequestError("evidence", "must be of a kind that this version knows"))
    }
}
