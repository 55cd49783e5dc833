import Testing

@testable import AssayCore

@Suite("JSON scanner")
struct JSONScannerTests {
    /// A string token of letters with some bytes among them, in the middle of a longer array.
    private func text(_ odd: [UInt8], after letters: Int, before others: Int) throws(JSONProblem) -> [UInt8] {
        let content = [UInt8](repeating: 0x61, count: letters) + odd + [UInt8](repeating: 0x62, count: others)
        let document = [0x20] + [UInt8(ascii: "\"")] + content + [UInt8(ascii: "\"")] + [0x2C]
        var scanner = JSONScanner(document[1...])
        let text = try scanner.string()
        guard scanner.take(","), scanner.first() == nil else { throw scanner.problem("the token ended elsewhere") }
        return Array(text)
    }

    @Test("a text is read, or refused, by what stands in it at any place", arguments: 0..<20)
    func texts(_ letters: Int) throws {
        for others in 0..<20 {
            func expected(_ middle: String) -> [UInt8] {
                [UInt8](repeating: 0x61, count: letters) + Array(middle.utf8) + [UInt8](repeating: 0x62, count: others)
            }
            for (odd, middle) in [
                ("", ""), ("é", "é"), (" ~!#[]\u{7F}", " ~!#[]\u{7F}"), (#"\""#, "\""), (#"\\"#, "\\"), (#"\/\u00e9"#, "/é"),
            ] {
                #expect(try text(Array(odd.utf8), after: letters, before: others) == expected(middle))
            }
            let bad: [([UInt8], String)] = [
                ([0x1F], "a control character in a string"), ([0], "a control character in a string"),
                ([0xFF], "a string is not UTF-8"), ([0xC3], "a string is not UTF-8"),
                (Array(#"\n"#.utf8) + [0x80], "a string is not UTF-8"), (Array(#"\x"#.utf8), "an unknown escape"),
                (Array(#"\ud800"#.utf8), "a lone surrogate"),
            ]
            for (odd, problem) in bad {
                do throws(JSONProblem) {
                    _ = try text(odd, after: letters, before: others)
                    Issue.record("\(odd) is read")
                } catch {
                    #expect(error.description == problem)
                }
            }
        }
    }

    @Test("tokens follow each other with any space between them, and a problem has the place where it was found")
    func tokens() throws {
        let document = Array(" [ 1.5e3 , \"a\" , true ] ".utf8)
        var scanner = JSONScanner(document[...])
        let brackets = [scanner.take("["), scanner.take("]")]
        let number = try scanner.number()
        let text = scanner.take(",") ? try scanner.string() : []
        let comma = scanner.take(",")
        #expect(brackets == [true, false] && number.elementsEqual("1.5e3".utf8) && text == document[12..<13] && comma)
        #expect(throws: JSONProblem(description: "want a value", index: 17)) { try scanner.word("false") }
        try scanner.word("true")
        #expect(throws: JSONProblem(description: "bytes after the end", index: 22)) { try scanner.end() }
        let end = scanner.take("]")
        try scanner.end()
        #expect(end && scanner.index == document.count)
    }

    @Test("what begins no value is called so, and a number that breaks off misses a digit")
    func numbers() {
        for (text, description, index) in [
            ("?", "want a value", 0), ("-----BEGIN", "want a value", 1), ("1.x", "want a digit", 2),
        ] {
            var scanner = JSONScanner(Array(text.utf8)[...])
            #expect(throws: JSONProblem(description: description, index: index)) { try scanner.number() }
        }
    }

    @Test("at the end of the bytes there is no token", arguments: ["", " ", "\"", "\"a", "\"\\", "-", "1.", "1e", "tru"])
    func ends(_ text: String) {
        var scanner = JSONScanner(Array(text.utf8)[...])
        #expect(throws: JSONProblem.self) {
            switch scanner.first() {
            case UInt8(ascii: "\""): _ = try scanner.string()
            case UInt8(ascii: "t"): try scanner.word("true")
            default: _ = try scanner.number()
            }
        }
    }
}
