import AssayTesting
import Testing

@testable import AssayCore

@Suite("JSON members")
struct JSONMemberTests {
    private func text(_ path: String..., in document: String) -> [UInt8]? {
        try? JSONMember.text(at: path, in: Array(document.utf8))
    }

    /// Whether the document with the literal in it is accepted.
    private func takes(_ literal: String) -> Bool { text("c", in: #"{"d":\#(literal),"c":"x"}"#) != nil }

    @Test(
        "Every number of RFC 8259 is accepted beside a member",
        arguments: [
            "0", "-0", "1", "-1", "10", "1234567890", "0.0", "-0.5", "1.25", "1e0", "1E9", "1e+9", "1e-9", "0e0", "-1.5E-300",
            "1" + String(repeating: "0", count: 5000), "0." + String(repeating: "1", count: 5000), "1e99999999999",
        ])
    func numbers(_ literal: String) {
        #expect(takes(literal) && takes(" \(literal)\n"))
        #expect(takes("[\(literal)]") && takes("[\(literal),\(literal)]"))
    }

    @Test(
        "Texts that are neither numbers nor literals are refused beside a member",
        arguments: [
            "", "-", "+1", "01", "-01", "00", "1.", ".1", "-.1", "1.e1", "1e", "1e+", "1e-", "1e1.0", "1.0.0", "--1", "1-",
            "1 1",
            "0x10", "1_000", "1a", "Infinity", "-Infinity", "NaN", "1e1e1", "٣", "1,", "e1", "t", "tru", "truee", "True", "nul",
            "nulll", "fals", "falsey", "undefined", "-true", "1true", "'a'",
        ])
    func notNumbers(_ literal: String) { #expect(!takes(literal), "\(literal)") }

    @Test("Literals are accepted beside a member", arguments: ["true", "false", "null"])
    func words(_ literal: String) { #expect(takes(literal) && takes("[\(literal)]")) }

    @Test("Members are read with escapes undone")
    func escapes() {
        #expect(
            text("c", in: #"{"c":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\uD83D\uDE00\u0000"}"#)
                == Array("\"\\/\u{8}\u{C}\n\r\tAé€😀\0".utf8))
        for bad in [
            #"\"#, #"\u"#, #"\u12"#, #"\u12G4"#, #"\u+123"#, #"\u 123"#, #"\a"#, #"\'"#, #"\U0041"#, #"\ud800"#, #"\udc00"#,
            #"\ud800\ud800"#, #"\ud800x"#, #"\ud800\n"#, #"\udbff\ue000"#, #"\ud83d\u"#, "\u{1F}", "\n", "\0",
        ] {
            #expect(text("c", in: #"{"c":"\#(bad)"}"#) == nil, "\(bad)")
        }
    }

    @Test("Members are not read beside bytes that are not UTF-8, in a name or a text")
    func utf8() {
        for (before, behind) in [(#"{"c":"x","d":""#, #""}"#), (#"{"c":"x",""#, #"":1}"#), (#"{"c":""#, #""}"#)] {
            for odd: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80]] {
                let document = Array(before.utf8) + odd + Array(behind.utf8)
                #expect(throws: Rejection(.clientDataMismatch, "")) { try JSONMember.text(at: ["c"], in: document) }
            }
        }
    }

    @Test("Members are read to a depth of 32 and no deeper")
    func depth() {
        func nested(_ count: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
        }
        // The outer object is one level; the innermost value another.
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            #expect(takes(nested(JSONReader.depthLimit - 2, open, close)))
            #expect(!takes(nested(JSONReader.depthLimit - 1, open, close)))
            #expect(!takes(nested(5000, open, close)))
            #expect(!takes(String(repeating: open, count: 5000)))
        }
    }

    @Test("A name that occurs twice in one object is refused, in any spelling, on the path or beside it")
    func duplicates() {
        for document in [
            #"{"c":"x","c":"x"}"#, #"{"c":"x","\u0063":"x"}"#, #"{"c":"x","a":1,"a":1}"#, #"{"c":"x","a":{"b":1,"b":1}}"#,
            #"{"c":"x","a":[{"b":1,"b":1}]}"#, #"{"":1,"":2,"c":"x"}"#,
        ] {
            #expect(text("c", in: document) == nil, "\(document)")
        }
        #expect(text("c", in: #"{"a":{"a":1},"b":{"a":1},"c":"x"}"#) != nil)
        let many = (0..<3000).map { #""n\#($0)":0,"# }.joined()
        #expect(text("c", in: "{\(many)\"c\":\"x\"}") != nil)
        #expect(text("c", in: "{\(many)\"n7\":0,\"c\":\"x\"}") == nil)
    }
}

@Suite("Mutations of client data")
struct ClientDataMutationTests {
    static let challenge = [UInt8](0..<54)
    static let document =
        #"{"v": -12.5e+3, "a": {"b": [true, false, null, {"x": "\u00e9\ud83d\ude00\n"}], "c": "\#(Hex.encode(challenge))"}, "é": [[], {}, 0]}"#

    /// One of the changes that break parsers.
    private static func mutant(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        let marks = Array(#"{}[]",:\u0e.-+ "#.utf8) + [0x00, 0x1F, 0x80, 0xC3, 0xED, 0xFF]
        var mutant = bytes
        let (a, b) = (Int.random(in: bytes.indices, using: &numbers), Int.random(in: bytes.indices, using: &numbers))
        let mark = marks[Int.random(in: marks.indices, using: &numbers)]
        switch Int.random(in: 0..<7, using: &numbers) {
        case 0: mutant[a] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        case 1: mutant.remove(at: a)
        case 2: mutant.insert(mark, at: a)
        case 3: mutant[a] = mark
        case 4: mutant.swapAt(a, b)
        case 5: mutant.removeSubrange(min(a, b)..<max(a, b))
        default: mutant.insert(contentsOf: bytes[min(a, b)..<max(a, b)], at: a)
        }
        return mutant
    }

    @Test("A changed document has the challenge only at its place, and never traps", arguments: 1...4 as ClosedRange<UInt64>)
    func documents(_ seed: UInt64) throws {
        let embedded = try #require(EmbeddedChallenge(place: .jsonMember(["a", "c"]), encoding: .hex))
        let original = Array(Self.document.utf8)
        try embedded.find(Self.challenge, in: original)
        var numbers = SeededNumbers(seed: seed)
        let wanted = Array(Hex.encode(Self.challenge).utf8)
        var found = 0
        for _ in 0..<3000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &numbers) where !bytes.isEmpty { bytes = Self.mutant(bytes, &numbers) }
            do throws(Rejection) {
                try embedded.find(Self.challenge, in: bytes)
                found += 1
                // No mutant can spell the challenge other than in clear.
                #expect(bytes.indices.contains { bytes[$0...].starts(with: wanted) })
            } catch {
                #expect(error.code == .clientDataMismatch)
            }
        }
        // Changes of white space and of other members are harmless.
        #expect((1..<3000).contains(found))
    }

    @Test("A changed document is compared at an offset byte for byte", arguments: EmbeddedChallenge.Encoding.allCases)
    func offsets(_ encoding: EmbeddedChallenge.Encoding) throws {
        let embedded = try #require(EmbeddedChallenge(place: .offset(7), encoding: encoding))
        var numbers = SeededNumbers(seed: 9)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...200, using: &numbers)).map { _ in
                UInt8.random(in: .min ... .max, using: &numbers)
            }
            #expect(throws: Rejection(.clientDataMismatch, "")) { try embedded.find(Self.challenge, in: bytes) }
        }
    }
}
