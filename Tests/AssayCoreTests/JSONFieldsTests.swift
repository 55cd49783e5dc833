import Testing

@testable import AssayCore

@Suite("JSON fields")
struct JSONFieldsTests {
    private func fields(_ document: String) throws -> JSONFields {
        try JSONFields(parsing: Array(document.utf8)[...], code: .malformedToken)
    }

    @Test("Members are read by name and type, and null counts as absent")
    func types() throws {
        let fields = try fields(
            #"{"t":"é\u0041","i":-7,"s":"42","b":true,"l":["a","b"],"o":{"i":1},"n":null,"e":[],"u":{"x":[1,{}]}}"#)
        #expect(try fields.text("t") == "éA" && fields.integer("i") == -7 && fields.integer("s") == 42)
        #expect(try fields.boolean("b") == true && fields.texts("l") == ["a", "b"] && fields.texts("e") == [])
        #expect(try fields.section("o")?.integer("i") == 1)
        for name in ["n", "missing"] {
            #expect(try fields.text(name) == nil && fields.integer(name) == nil && fields.boolean(name) == nil)
            #expect(try fields.texts(name) == nil && fields.section(name)?.has("x") == nil)
        }
        #expect(fields.has("n") && !fields.has("missing") && !fields.has("T"))
        #expect(throws: Rejection(.malformedToken, "")) { try fields.required("n", fields.text("n")) }
    }

    @Test("A text is read as its UTF-8, and an integer that must be a number only as one")
    func bytes() throws {
        let fields = try fields(#"{"t":"é\u0041","i":-7,"s":"42","n":null,"f":1.0,"z":-0}"#)
        #expect(try fields.utf8("t") == Array("éA".utf8) && fields.utf8("n") == nil && fields.utf8("missing") == nil)
        #expect(throws: Rejection(.malformedToken, "")) { try fields.utf8("i") }
        #expect(fields.number("i") == -7)
        for name in ["s", "t", "n", "f", "z", "missing"] { #expect(fields.number(name) == nil, "\(name)") }
    }

    @Test("A member of another type is refused, with its path")
    func mismatch() throws {
        let fields = try fields(#"{"o":{"t":1}}"#)
        do throws(Rejection) {
            _ = try fields.section("o")?.text("t")
            Issue.record("a number was taken for a text")
        } catch {
            #expect(error.code == .malformedToken && error.detail == "o.t is not a text")
        }
        for wrong in [#"{"x":1}"#, #"{"x":"a"}"#, #"{"x":true}"#, #"{"x":[1]}"#, #"{"x":{}}"#] {
            let fields = try self.fields(wrong)
            let readers: [() throws -> Bool] = [
                { try fields.text("x") != nil }, { try fields.integer("x") != nil }, { try fields.boolean("x") != nil },
                { try fields.texts("x") != nil }, { try fields.section("x") != nil },
            ]
            #expect(readers.count { (try? $0()) == true } <= 1, "\(wrong)")
        }
    }

    @Test(
        "A 64-bit integer has one spelling",
        arguments: [
            "0", "-1", "9223372036854775807", "-9223372036854775808", #""0""#, #""-1""#, #""9223372036854775807""#,
        ])
    func integers(_ literal: String) throws {
        let digits = literal.filter { $0 != "\"" }
        #expect(try fields(#"{"x":\#(literal)}"#).integer("x") == Int64(digits))
    }

    @Test(
        "Other spellings of an integer are refused",
        arguments: [
            "1.0", "1e3", "-0", "9223372036854775808", #""""#, #""+1""#, #""01""#, #""-0""#, #"" 1""#, #""1 ""#, #""0x1""#,
            #""٣""#, #""abc""#,
        ])
    func notIntegers(_ literal: String) throws {
        let fields = try fields(#"{"x":\#(literal)}"#)
        #expect(throws: Rejection(.malformedToken, "")) { try fields.integer("x") }
    }

    @Test("A list longer than the limit is refused")
    func lists() throws {
        func list(_ count: Int) throws -> JSONFields {
            try fields(#"{"x":["# + [String](repeating: #""a""#, count: count).joined(separator: ",") + "]}")
        }
        #expect(try list(JSONFields.listLimit).texts("x")?.count == JSONFields.listLimit)
        let long = try list(JSONFields.listLimit + 1)
        #expect(throws: Rejection(.malformedToken, "")) { try long.texts("x") }
    }

    @Test(
        "Bytes other than one object in strict JSON are refused",
        arguments: [
            "", "1", "[]", "null", "{}{}", "{", #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":1}"#, #"{"a":{"b":1,"b":1}}"#,
            #"{"a":"\ud800"}"#, #"{"\udc00":1}"#, "{\"a\":\"\n\"}",
        ])
    func objects(_ document: String) {
        #expect(throws: Rejection(.malformedToken, "")) { try fields(document) }
    }

    @Test("are UTF-8, names and texts")
    func utf8() {
        for document in [
            Array(#"{"a":""#.utf8) + [0xC3] + Array(#""}"#.utf8), Array(#"{""#.utf8) + [0xFF] + Array(#"":1}"#.utf8),
        ] {
            #expect(throws: Rejection(.malformedToken, "")) { try JSONFields(parsing: document[...], code: .malformedToken) }
        }
    }
}
