import AssayCore
import Testing

@Suite("Embedded challenges")
struct EmbeddedChallengeTests {
    private let challenge = [UInt8](0..<54)

    private func found(_ place: EmbeddedChallenge.Place, _ encoding: EmbeddedChallenge.Encoding, in bytes: [UInt8]) throws
        -> Bool
    {
        let embedded = try #require(EmbeddedChallenge(place: place, encoding: encoding))
        do {
            try embedded.find(challenge, in: bytes)
            return true
        } catch {
            #expect(error.code == .clientDataMismatch)
            return false
        }
    }

    private func json(_ path: String..., in text: String) throws -> Bool {
        try found(.jsonMember(path), .hex, in: Array(text.utf8))
    }

    private var hex: String { Hex.encode(challenge) }

    @Test(
        "A challenge is found at its offset, in each encoding, and nowhere else", arguments: EmbeddedChallenge.Encoding.allCases
    )
    func offsets(_ encoding: EmbeddedChallenge.Encoding) throws {
        let encoded: [UInt8] =
            switch encoding {
            case .raw: challenge
            case .hex: Array(hex.utf8)
            case .base64: Array(Base64.standard.encode(challenge).utf8)
            case .base64url: Array(Base64.url.encode(challenge).utf8)
            }
        #expect(try found(.offset(0), encoding, in: encoded))
        #expect(try found(.offset(2), encoding, in: [1, 2] + encoded + [3]))
        #expect(try !found(.offset(1), encoding, in: [1, 2] + encoded + [3]))
        #expect(try !found(.offset(0), encoding, in: Array(encoded.dropLast())))
        #expect(try !found(.offset(encoded.count + 1), encoding, in: encoded))
        #expect(try !found(.offset(.max), encoding, in: encoded))
        #expect(try !found(.offset(0), encoding, in: []))
    }

    @Test("A negative offset, an empty path and raw bytes in JSON cannot be configured")
    func configuration() {
        #expect(EmbeddedChallenge(place: .offset(-1), encoding: .raw) == nil)
        #expect(EmbeddedChallenge(place: .jsonMember([]), encoding: .hex) == nil)
        #expect(EmbeddedChallenge(place: .jsonMember(["a"]), encoding: .raw) == nil)
    }

    @Test("A challenge is found at a JSON member of any depth, with escapes undone")
    func members() throws {
        #expect(try json("c", in: #"{"c":"\#(hex)"}"#))
        #expect(try json("a", "b", "c", in: #" { "x" : [1, {"c": 2}], "a": {"b": {"c": "\#(hex)"} }, "z": null } "#))
        #expect(try json("é", in: #"{"\u00e9":"\#(hex)"}"#))
        #expect(try json("c", in: #"{"c":"\u0030\#(hex.dropFirst())"}"#))
        #expect(try json("😀", in: #"{"\ud83d\ude00":"\#(hex)"}"#))
    }

    @Test("A challenge at another member is not found")
    func otherMembers() throws {
        #expect(try !json("c", in: #"{"d":"\#(hex)"}"#))
        #expect(try !json("c", in: #"{"a":{"c":"\#(hex)"}}"#))
        #expect(try !json("a", "c", in: #"{"c":"\#(hex)"}"#))
        #expect(try !json("c", in: #"[{"c":"\#(hex)"}]"#))
        #expect(try !json("c", in: #"{"c":["\#(hex)"]}"#))
        #expect(try !json("c", in: #"{"c":"\#(hex.uppercased())"}"#))
        #expect(try !json("c", in: #"{"c":"\#(hex) "}"#))
        #expect(try !json("c", in: #""\#(hex)""#))
        // Canonically equivalent is not equal.
        #expect(try !json("é", in: #"{"e\u0301":"\#(hex)"}"#))
    }

    @Test("A document that two parsers could read differently is refused")
    func strictness() throws {
        let member = #""c":"\#(hex)""#
        for document in [
            #"{\#(member),"c":"x"}"#, #"{"c":"x",\#(member)}"#, #"{\#(member),"\u0063":1}"#, #"{\#(member)}x"#,
            #"{\#(member),}"#,
            #"{\#(member)"#, #"{\#(member) "d":1}"#, #"{\#(member),"d":01}"#, #"{\#(member),"d":NaN}"#, #"{\#(member),"d":+1}"#,
            #"{\#(member),"d":1.}"#, #"{\#(member),"d":tru}"#, #"{\#(member),"d":"\x"}"#, #"{\#(member),"d":"\ud800"}"#,
            #"{\#(member),"d":"\ud800\u0041"}"#, "{\(member),\"d\":\"\t\"}", #"{\#(member),d:1}"#, #"{\#(member),'d':1}"#,
            #"{\#(member)/**/}"#, "\u{FEFF}{\(member)}", "",
        ] {
            #expect(try !json("c", in: document), "\(document)")
        }
        let embedded = try #require(EmbeddedChallenge(place: .jsonMember(["c"]), encoding: .hex))
        let notUTF8 = Array("{\(member),\"d\":\"".utf8) + [0xFF] + Array("\"}".utf8)
        #expect(throws: Rejection(.clientDataMismatch, "")) { try embedded.find(challenge, in: notUTF8) }
    }

    @Test("The search is bounded in depth and length")
    func bounds() throws {
        func nested(_ depth: Int) -> String {
            #"{"d":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + #","c":"\#(hex)"}"#
        }
        #expect(try json("c", in: nested(20)))
        #expect(try !json("c", in: nested(100_000).prefix(60_000).description))
        #expect(try !json("c", in: nested(1000)))
        #expect(try json("c", in: #"{"c":"\#(hex)"}"# + String(repeating: " ", count: 60_000)))
        #expect(try !json("c", in: #"{"c":"\#(hex)"}"# + String(repeating: " ", count: EmbeddedChallenge.clientDataLimit)))
    }
}
