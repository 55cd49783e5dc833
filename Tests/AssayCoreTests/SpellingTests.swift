import AssayCore
import Testing

@Suite("Words that may be meant")
struct SpellingTests {
    private static let codes = ReasonCode.allCases.map(\.rawValue)

    @Test("A misspelt reason code has the right one first")
    func misspelt() {
        #expect(Spelling.near(to: "bad_signatur", among: Self.codes).first == "bad_signature")
        #expect(Spelling.near(to: "Device_Blocked", among: Self.codes).first == "device_blocked")
    }

    @Test("Codes that share a part with the word are near it, at most five, the nearest first")
    func parts() {
        let near = Spelling.near(to: "payload_mismatch", among: Self.codes)
        #expect(near.count == 5 && near.allSatisfy { $0.split(separator: "_").contains("mismatch") }, "\(near)")
        #expect(Spelling.near(to: "payload_mismatch", among: Self.codes, limit: 1) == Array(near.prefix(1)))
    }

    @Test("Nothing is near a word that resembles none")
    func nothing() {
        #expect(Spelling.near(to: "xyzzy", among: Self.codes).isEmpty)
        #expect(Spelling.near(to: "", among: Self.codes).isEmpty)
    }
}
