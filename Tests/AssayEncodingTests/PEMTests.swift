import AssayCore
import AssayEncoding
import Testing

@Suite("PEM")
struct PEMTests {
    @Test("PEM is read back, several blocks, LF and CRLF")
    func pem() throws {
        let blocks = [[UInt8](repeating: 1, count: 100), [2], [UInt8](repeating: 3, count: 48)]
        let text = "\n" + blocks.map { PEM.encode($0) }.joined(separator: "\n")
        #expect(try PEM.decode(text) == blocks)
        #expect(try PEM.decode(text.replacing("\n", with: "\r\n")) == blocks)
    }

    @Test(
        "Only blocks of the expected label are accepted",
        arguments: [
            "", "\n", "text\n" + PEM.encode([1]), PEM.encode([1]) + "text", PEM.encode([1], label: "PUBLIC KEY"),
            "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\nAQ==\n",
            "-----BEGIN CERTIFICATE-----\nAQ\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAQ==\n\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAQID\nAQID\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\n AQID\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAQID\n-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n",
        ])
    func refusesPEM(_ text: String) {
        #expect(throws: Rejection(.malformedCertificate, "")) { try PEM.decode(text) }
    }

    @Test("The number of PEM blocks is limited")
    func pemLimit() throws {
        let block = PEM.encode([1])
        #expect(try PEM.decode(String(repeating: block, count: PEM.blockLimit)).count == PEM.blockLimit)
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try PEM.decode(String(repeating: block, count: PEM.blockLimit + 1))
        }
    }
}
