import AssayCore
import AssayEncoding
import Testing

@Suite("Text encodings")
struct TextEncodingTests {
    @Test("Base64 agrees with the vectors of RFC 4648, §10")
    func vectors() {
        let pairs = [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
        for (plain, text) in pairs {
            #expect(Base64.encode(plain.utf8) == text)
            #expect(Base64.decode(text) == Array(plain.utf8))
            let url = String(text.prefix { $0 != "=" })
            #expect(Base64.encode(plain.utf8, .url) == url)
            #expect(Base64.decode(url, .url) == Array(plain.utf8))
        }
    }

    @Test("Base64 comes back for every byte and length")
    func roundTrip() {
        for length in 0...70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + length * 11) }
            for alphabet in [Base64.Alphabet.standard, .url] {
                #expect(Base64.decode(Base64.encode(bytes, alphabet), alphabet) == bytes)
            }
        }
        #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
        #expect(Base64.encode([0xFB, 0xFF], .url) == "-_8")
    }

    @Test(
        "Base64 refuses other alphabets, missing padding, spaces and unused bits",
        arguments: ["Zg", "Zg=", "Zg===", "Z", "Zm9v\n", " Zm9v", "Zh==", "Zm9=", "-_8=", "Z=g=", "====", "Zg==Zg==", "Zm8=="])
    func refusesStandard(_ text: String) { #expect(Base64.decode(text) == nil) }

    @Test("base64url refuses padding and the other alphabet", arguments: ["Zg==", "+/8", "Zh", "Z", "Zm9vY"])
    func refusesURL(_ text: String) { #expect(Base64.decode(text, .url) == nil) }

    @Test("PEM comes back, several blocks, LF and CRLF")
    func pem() throws {
        let blocks = [[UInt8](repeating: 1, count: 100), [2], [UInt8](repeating: 3, count: 48)]
        let text = "\n" + blocks.map { PEM.encode($0) }.joined(separator: "\n")
        #expect(try PEM.decode(text) == blocks)
        #expect(try PEM.decode(text.replacing("\n", with: "\r\n")) == blocks)
    }

    @Test(
        "PEM refuses anything but blocks of its label",
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

    @Test("PEM bounds the number of blocks")
    func pemLimit() throws {
        let block = PEM.encode([1])
        #expect(try PEM.decode(String(repeating: block, count: PEM.blockLimit)).count == PEM.blockLimit)
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try PEM.decode(String(repeating: block, count: PEM.blockLimit + 1))
        }
    }
}
