import Testing

@testable import AssayCore

@Suite("JSON as text")
struct JSONTextTests {
    @Test(
        "What is written is read as the same value",
        arguments: [
            "null", "true", "-0.10e+5", "9007199254740993", #""""#, #""a\"b\\c\/d\u0001\n\t\u00e9\ud83d\ude00""#, "[]",
            "[[],{},1]", "{}",
            #"{"b":{"a":[null,false]},"a":""}"#,
        ])
    func roundTrip(_ text: String) throws {
        let value = try JSONReader.parse(Array(text.utf8)[...], code: .malformed)
        #expect(try JSONReader.parse(value.text[...], code: .malformed) == value)
    }

    @Test("Nothing but quotation marks, backslashes and control characters is escaped, and members stay in order")
    func form() {
        let value = JSONValue.object(
            JSONObject([
                .init(name: Array("b".utf8), value: .string(Array("\"\\\u{1F}\u{7F}é/".utf8))),
                .init(name: Array("a".utf8), value: .array([.number(Array("1.0".utf8)[...]), .null])),
            ]))
        #expect(String(decoding: value.text, as: UTF8.self) == "{\"b\":\"\\\"\\\\\\u001f\u{7F}é/\",\"a\":[1.0,null]}")
    }
}
