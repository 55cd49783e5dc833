import AssayCore
import Testing

@testable import AssayAPI

@Suite("YAML of documents")
struct YAMLTextTests {
    private func yaml(_ json: String) -> String { YAMLText.text(of: .parsed(json)) }

    @Test("objects and lists are in block style, empty ones on their line")
    func nested() {
        #expect(
            yaml(#"{"a": {"b": [1, [2, 3], {"c": true, "d": {"e": null}}], "f": {}}, "g": [], "h": [{}, [], {"i": [4]}]}"#)
                == """
                a:
                  b:
                    - 1
                    - - 2
                      - 3
                    - c: true
                      d:
                        e: null
                  f: {}
                g: []
                h:
                  - {}
                  - []
                  - i:
                      - 4

                """)
        #expect(yaml("{}") == "{}\n" && yaml("[]") == "[]\n" && yaml("7") == "7\n" && yaml(#""a""#) == "a\n")
    }

    @Test(
        "a text that could be read as something else has quotation marks",
        arguments: [
            "", "true", "No", "null", "~", "200", "1.0", "-1", ".inf", "- a", "a: b", "a:", "a #b", "#/a", "*a", "&a", "!a",
            "|", "'a'",
            "\"a\"", " a", "a ", "[a]", "{a}", "a\tb", "\na", "a\n", "@a", "`a`", "%a", "2026-04-14", "a\\b", "é", "a {b}",
        ])
    func quoted(_ text: String) {
        let value = JSONValue.text(text)
        #expect(YAMLText.text(of: value) == String(decoding: value.text, as: UTF8.self) + "\n")
    }

    @Test(
        "a text that is nothing else has none",
        arguments: [
            "a", "a b, c.", "$ref", "/v1/attestation/verify", "application/json", "it's `a`", "https://a/b", "a - b", "NaN",
        ])
    func plain(_ text: String) { #expect(YAMLText.text(of: .text(text)) == text + "\n") }

    @Test("a text of several lines stands as it is, two spaces further in")
    func block() {
        #expect(
            yaml(#"{"a": {"b": "one: \"1\"\n\n  two #2\nthree"}}"#)
                == "a:\n  b: |-\n    one: \"1\"\n\n      two #2\n    three\n")
        #expect(yaml(#"["one\ntwo"]"#) == "- |-\n  one\n  two\n")
        #expect(yaml(#"{"one\ntwo": 1}"#) == "\"one\\u000atwo\": 1\n")
        #expect(yaml(#"{"a": "one\r\ntwo"}"#) == "a: \"one\\u000d\\u000atwo\"\n")
    }
}
