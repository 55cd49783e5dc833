import AssayCore
import AssayEncoding
import AssayTesting
import Testing

@Suite("JOSE writer")
struct JOSEWriterTests {
    private func header(_ members: KeyValuePairs<String, String>) -> JSONObject {
        JSONObject(members.map { JSONObject.Member(name: Array($0.key.utf8), value: .string(Array($0.value.utf8))) })
    }

    @Test("The writer writes the example of RFC 7515, appendix A.3")
    func example() throws {
        let payload = Array("{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}".utf8)
        let input = JOSEWriter(header: header(["alg": "ES256"])).signingInput(payload)
        let expected =
            "eyJhbGciOiJFUzI1NiJ9"
            + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        #expect(String(decoding: input, as: UTF8.self) == expected)
        let text = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let signature = try #require(Base64.url.decode(text))
        #expect(signature.count == 64)
        #expect(String(decoding: JOSEWriter.token(input, signature: signature), as: UTF8.self) == expected + "." + text)
    }

    @Test("The header has its members in the order in which they are given, without space")
    func order() throws {
        let writer = JOSEWriter(header: header(["typ": "JWT", "alg": "ES384", "kid": "a\"\\\n\u{E9}"]))
        let head = try #require(writer.signingInput([]).split(separator: UInt8(ascii: ".")).first)
        let decoded = try #require(Base64.url.decode(String(decoding: head, as: UTF8.self)))
        #expect(
            String(decoding: decoded, as: UTF8.self) == #"{"typ":"JWT","alg":"ES384","kid":"a\"\\\u000a"# + "\u{E9}\"}")
    }

    @Test("Tokens of every length are read back as they were written, and what is signed is what was to be signed")
    func readBack() throws {
        let writer = JOSEWriter(header: header(["alg": "ES256", "kid": "a\"\\\n\u{E9}"]))
        var random = SeededNumbers(seed: 7515)
        for count in 0..<100 {
            let payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let signature = (0..<(99 - count)).map { _ in UInt8.random(in: 0...255, using: &random) }
            let input = writer.signingInput(payload)
            let read = try CompactJWS(parsing: JOSEWriter.token(input, signature: signature)[...])
            #expect(Array(read.signedPart) == input)
            #expect(read.payload == payload && read.signature == signature)
            #expect(read.header.algorithm == "ES256")
            let kid = try read.header.fields.text("kid")
            #expect(kid.map { Array($0.utf8) } == Array("a\"\\\n\u{E9}".utf8))
        }
    }
}
