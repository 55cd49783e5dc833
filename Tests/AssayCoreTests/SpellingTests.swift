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

    @Test("A beginning or a part that only one word has stands for it, and capitals are no difference")
    func beginnings() {
        let keys = ["certificate", "private_key", "client_ca", "clientAuth"]
        for (word, meant) in [
            ("cert", "certificate"), ("ca", "client_ca"), ("key", "private_key"), ("privateKey", "private_key"),
            ("clientauth", "clientAuth"), ("CERTIFICATE", "certificate"),
        ] { #expect(Spelling.meant(by: word, among: keys) == meant, "\(word)") }
        for word in ["client", "c", "ce", "database", ""] { #expect(Spelling.meant(by: word, among: keys) == nil, "\(word)") }
    }

    @Test("A hint names the nearest word, or all of a few")
    func hint() {
        #expect(Spelling.hint(for: "photo", among: ["photos", "camera"]) == "; did you mean \"photos\"?")
        #expect(Spelling.hint(for: "x", among: ["photos", "camera"]) == "; there are camera, photos")
        #expect(Spelling.hint(for: "x", among: ["photos"]) == "; there is photos")
        #expect(Spelling.hint(for: "x", among: [String]()) == "" && Spelling.hint(for: "x", among: Self.codes) == "")
    }

    @Test("Nothing is near a word that resembles none")
    func nothing() {
        #expect(Spelling.near(to: "xyzzy", among: Self.codes).isEmpty)
        #expect(Spelling.near(to: "", among: Self.codes).isEmpty)
    }
}
