import AssayTesting
import Testing

@testable import AssayCore

@Suite("JSON reader")
struct JSONReaderTests {
    private func strict(_ document: [UInt8]) throws(Rejection) -> JSONValue {
        try JSONReader.parse(document[...], code: .malformedToken)
    }

    private func lenient(_ document: [UInt8]) throws(Rejection) -> JSONValue {
        try JSONReader.parseLenient(document[...], code: .malformedToken)
    }

    /// A document in which `~` stands for the bytes.
    private func document(_ text: String, _ odd: [UInt8] = []) -> [UInt8] {
        Array(text.utf8.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false).joined(separator: odd))
    }

    /// What cannot be read in a text: no UTF-8, a lone surrogate, an unknown escape, a control character.
    private static let oddTexts: [[UInt8]] =
        [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80]]
        + [#"\ud800"#, #"\udc00"#, #"\ud800\ud800"#, #"\ud83dx"#, #"\ud83d\n"#, #"\udbff\ue000"#].map { Array($0.utf8) }
        + [#"\u"#, #"\u12G4"#, #"\a"#, #"\'"#, "\n", "\0", "\t"].map { Array($0.utf8) }

    @Test("A duplicate name is refused, or, by the lenient reader, kept with all members in order")
    func doubled() throws {
        for text in [#"{"a":1,"b":2,"a":3}"#, #"{"a":1,"b":2,"\u0061":3}"#] {
            #expect(throws: Rejection(.malformedToken, "")) { try strict(document(text)) }
            #expect(throws: Rejection(.malformedToken, "")) { try strict(document("[{\"x\":\(text)}]")) }
            guard case .object(let object) = try lenient(document(text)) else { throw Rejection(.malformedToken, text) }
            #expect(object.all("a") == [.number(Array("1".utf8)[...]), .number(Array("3".utf8)[...])])
            #expect(object.members.count == 3 && object.all("c").isEmpty)
            #expect((try? lenient(document("[{\"x\":\(text)}]"))) != nil)
        }
    }

    @Test(
        "A duplicate name is refused wherever it stands, in objects of few and of many members",
        arguments: [2, 15, 16, 17, 18, 40])
    func doubledAmongMany(_ count: Int) throws {
        let names = (0..<count).map { "name-\($0)" }
        func document(_ names: [String]) -> [UInt8] {
            self.document("{" + names.map { #""\#($0)":1"# }.joined(separator: ",") + "}")
        }
        guard case .object(let object) = try strict(document(names)) else { throw Rejection(.malformedToken, "no object") }
        #expect(object.members.map(\.name) == names.map { Array($0.utf8) })
        for (place, first) in names.enumerated() {
            #expect(object[first.utf8] != nil)
            for other in place + 1..<count {
                var names = names
                names[other] = first
                #expect(throws: Rejection(.malformedToken, "")) { try strict(document(names)) }
            }
        }
    }

    @Test("An unreadable text is refused, or, by the lenient reader, returned as bytes that are not UTF-8", arguments: oddTexts)
    func unreadable(_ odd: [UInt8]) throws {
        for text in [#"{"a":"~","b":"é"}"#, #"{"b":"é","a":"x~"}"#, #"{"x~y":1,"b":"é"}"#, #"{"~":"~","b":"é"}"#] {
            #expect(throws: Rejection(.malformedToken, "")) { try strict(document(text, odd)) }
            guard case .object(let object) = try lenient(document(text, odd)) else { throw Rejection(.malformedToken, text) }
            let marked = object.members.count { member in
                if case .string(let value) = member.value, String(validating: value, as: UTF8.self) == nil { return true }
                return String(validating: member.name, as: UTF8.self) == nil
            }
            #expect(object.members.count == 2 && marked == 1, "\(text)")
            #expect(object.all("b") == [.string(Array("é".utf8))], "what stands beside it is read")
        }
    }

    @Test(
        "Both readers read a well-formed document alike",
        arguments: [
            #"{"v": -12.5e+3, "a": {"b": [true, false, null, {"x": "\u00e9\ud83d\ude00\n\"\\"}], "c": "é😀"}, "é": [[], {}, 0]}"#,
            "7", #""""#, "[]", " {} ",
        ])
    func same(_ text: String) throws { #expect(try strict(document(text)) == lenient(document(text))) }

    @Test(
        "Both readers refuse a document with a broken structure",
        arguments: [
            "", "{", "[", #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":"b"#, #"{"a":"b\"#, #"{"a":"b\""#, #"{"a":"\ud83d"#,
            #"{"a":"\u"#,
            #"{"a":1,}"#, #"{"a" 1}"#, #"{a:1}"#, #"{"a":1}}"#, #"{"a":1}{}"#, #"{'a':1}"#, #"{"a":"b"c"}"#, #"{"a":01}"#,
            #"{"a":b}"#, #"{"a":"b"#, #"{"a":"b, "c":"d"}"#, "\u{FEFF}{}", "{\"a\":\u{0}}", "<html></html>",
        ])
    func broken(_ text: String) {
        #expect(throws: Rejection(.malformedToken, "")) { try strict(document(text)) }
        #expect(throws: Rejection(.malformedToken, "")) { try lenient(document(text)) }
    }

    @Test("Both readers read to a depth of 32 and no deeper")
    func depth() {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            func nested(_ count: Int) -> [UInt8] {
                document(String(repeating: open, count: count) + "1" + String(repeating: close, count: count))
            }
            for read in [strict, lenient] {
                #expect((try? read(nested(JSONReader.depthLimit - 1))) != nil)
                #expect(throws: Rejection(.malformedToken, "")) { _ = try read(nested(JSONReader.depthLimit)) }
                #expect(throws: Rejection(.malformedToken, "")) { _ = try read(nested(5000)) }
            }
        }
    }

    @Test("The strict reader accepts nothing that the lenient one refuses, and neither traps")
    func mutants() throws {
        let original = document(
            #"{"v": -12.5e+3, "a": {"b": [true, null, {"x": "\u00e9\ud83d\ude00\n"}], "c": "x"}, "é": [[], {}, 0], "v2": "y"}"#)
        var numbers = SeededNumbers(seed: 46)
        var onlyLenient = 0
        for _ in 0..<6000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let index = Int.random(in: bytes.indices, using: &numbers)
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &numbers)
                case 1: bytes.remove(at: index)
                default: bytes.insert(contentsOf: original.prefix(index).suffix(9), at: index)
                }
            }
            guard let read = try? lenient(bytes) else {
                #expect((try? strict(bytes)) == nil, "strict takes what lenient refuses")
                continue
            }
            if let strictly = try? strict(bytes) { #expect(strictly == read) } else { onlyLenient += 1 }
        }
        #expect((1..<6000).contains(onlyLenient))
    }
}
