import AssayConfiguration
import AssayCore
import AssaySimulator
import Testing

@Suite("Evidence as text")
struct EvidenceTextTests {
    private let attestation: [UInt8]
    private let keyID: [UInt8]

    init() throws {
        var phone = VirtualPhone(
            authority: TestAuthority(seed: "inspection"), appID: "TEAMID1234.com.example.camera", seed: "phone")
        let key = phone.makeKey()
        attestation = try key.attest(
            clientDataHash: [UInt8](repeating: 1, count: 32), at: Timestamp(unixMilliseconds: 1_750_000_000_000))
        keyID = key.keyID
    }

    private func read(_ text: String) -> EvidenceText { EvidenceText(Array(text.utf8)) }

    @Test("What a transport does to evidence is undone, and told in a sentence for each step")
    func slips() {
        let text = Base64.standard.encode(attestation)
        let escaped = text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        for (spelt, slips) in [
            (text, []), ("\"\(text)\"\n", [.quotationMarks]), (escaped, [.percentEncoding]),
            (text.replacing("+", with: " "), [.spaceForPlus]), (Base64.standard.encode(Array(text.utf8)), [.twiceEncoded]),
        ] as [(String, [TransportSlip])] {
            let evidence = read(spelt)
            #expect(evidence.bytes == attestation && evidence.keyID == nil && evidence.slips == slips, "\(slips)")
            #expect(evidence.remarks.count == slips.count && evidence.remarks.allSatisfy { $0.hasSuffix("undone here.") })
        }
        #expect(EvidenceText(attestation).bytes == attestation && EvidenceText(attestation).slips == [])
    }

    @Test("Of two values that are joined by \"::\" the one of 32 bytes is the key id, in either order")
    func joined() {
        let (evidence, id) = (Base64.standard.encode(attestation), Base64.standard.encode(keyID))
        for text in ["\(evidence)::\(id)", "\(id)::\(evidence)", "\"\(evidence)::\(id)\""] {
            let read = read(text)
            #expect(read.bytes == attestation && read.keyID == keyID && read.slips.last == .joinedValues)
        }
        for text in ["\(id)::\(id)", "\(evidence)::\(id)::\(id)", "\(evidence)::"] { #expect(read(text).keyID == nil) }
    }

    @Test("Tokens, PEM and other text stay what they are, also out of quotation marks")
    func text() {
        for text in [
            "eyJhbGciOiJSUzI1NiJ9.e30.AA", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "hello world\n",
        ] {
            #expect(read(text).bytes.elementsEqual(text.utf8) && read(text).slips == [], "\(text)")
        }
        #expect(read("\"eyJhbGciOiJSUzI1NiJ9.e30.AA\"").bytes.elementsEqual("eyJhbGciOiJSUzI1NiJ9.e30.AA".utf8))
        let pem = "-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----"
        #expect(read(pem).slips == [.escapedLineBreaks])
        #expect(read(pem).bytes.elementsEqual(pem.replacing("\\n", with: "\n").utf8))
    }

    @Test("Evidence that was converted to text is called damaged")
    func lossy() {
        let mangled = EvidenceText(Array(String(decoding: attestation, as: UTF8.self).utf8))
        #expect(mangled.slips == [.lossyText] && mangled.remarks.first?.hasPrefix("The evidence is damaged: ") == true)
    }
}
