import AssayCore
import AssayEncoding
import Testing

@testable import AssayResults

@Suite("Writers of claims")
struct ClaimWriterTests {
    @Test("CBOR is what the general writer makes of the same members, for numbers and lengths of every size")
    func cbor() {
        let numbers: [Int64] = [
            .min, -4_294_967_297, -65_537, -257, -256, -25, -24, -1, 0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295,
            4_294_967_296, .max,
        ]
        for number in numbers {
            for count in [0, 1, 23, 24, 255, 256, 65_536] {
                let bytes = [UInt8](repeating: 0x5A, count: count)
                let text = String(repeating: "x", count: count)
                let written = CBORClaims.map { claims in
                    claims.add(1, number)
                    claims.add(10, bytes: bytes)
                    claims.map(1000) { inner in
                        inner.add("b", true)
                        inner.add("cc", [text, ""])
                    }
                    claims.add("text", text)
                }
                let expected = CBORWriter.map([
                    (CBORWriter.text("text"), CBORWriter.text(text)), (CBORWriter.integer(1), CBORWriter.integer(number)),
                    (CBORWriter.integer(10), CBORWriter.bytes(bytes)),
                    (
                        CBORWriter.integer(1000),
                        CBORWriter.map([
                            (CBORWriter.text("cc"), CBORWriter.array([CBORWriter.text(text), CBORWriter.text("")])),
                            (CBORWriter.text("b"), CBORWriter.boolean(true)),
                        ])
                    ),
                ])
                #expect(written == expected)
            }
        }
    }

    @Test("JSON is what the general writer makes of the same members")
    func json() throws {
        let written = JSONClaims.object { claims in
            claims.object("empty") { _ in }
            claims.add("escaped", "a\"b\\c\u{0}é")
            claims.add("number", Int64.min)
            claims.object("inner") { inner in
                inner.add("list", plain: ["a", "b"])
                inner.add("none", plain: [])
                inner.add("flag", false)
            }
            claims.add("bytes", base64url: [0xFB, 0xFF])
            claims.add("digits", hex: [0xFB, 0xFF])
            claims.add("json", json: Array("[1]".utf8))
        }
        let text =
            "{\"empty\":{},\"escaped\":\"a\\\"b\\\\c\\u0000é\",\"number\":-9223372036854775808,"
            + "\"inner\":{\"list\":[\"a\",\"b\"],\"none\":[],\"flag\":false},\"bytes\":\"-_8\",\"digits\":\"fbff\",\"json\":[1]}"
        #expect(String(decoding: written, as: UTF8.self) == text)
        let value = try JSONReader.parse(written[...], code: .malformedToken)
        #expect(value.text == written)
    }
}
