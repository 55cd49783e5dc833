import Testing

@testable import AssayCore

@Suite("Text from outside")
struct OpaqueTextTests {
    /// Pairs that are equal as `String`.
    static let equivalent = [
        ("caf\u{E9}", "cafe\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("\u{1E69}", "s\u{323}\u{307}"),
        ("\u{AC00}", "\u{1100}\u{1161}"),
    ]

    @Test("Opaque texts are equal byte for byte, while String compares by Unicode equivalence", arguments: equivalent)
    func bytes(_ a: String, _ b: String) {
        #expect(a == b, "else the pair shows nothing")
        #expect(OpaqueText(a) != OpaqueText(b) && OpaqueText(a) == OpaqueText(a))
        #expect(!a.hasBytes(of: b) && a.hasBytes(of: a))
        #expect(Set([OpaqueText(a)]).contains(OpaqueText(a)) && !Set([OpaqueText(a)]).contains(OpaqueText(b)))
        #expect(Set([OpaqueText(a), OpaqueText(b), OpaqueText(a)]).count == 2)
        #expect((OpaqueText(a) < OpaqueText(b)) != (OpaqueText(b) < OpaqueText(a)))
    }

    @Test("Opaque texts are equal whether or not their bytes are contiguous")
    func storage() {
        let plain = "a long text that does not fit into a word"
        let part = "<" + plain + ">"
        let slice = String(part.dropFirst().dropLast())
        #expect(OpaqueText(slice) == OpaqueText(plain) && Set([OpaqueText(slice)]).contains(OpaqueText(plain)))
        #expect(part.dropFirst().dropLast().hasBytes(of: plain))
    }

    private enum Word: String { case key = "KEY", other }

    @Test("A text names a case byte for byte")
    func cases() {
        #expect(Word(rawValue: "\u{212A}EY") == .key, "what init(rawValue:) does")
        #expect(Word(bytesOf: "\u{212A}EY") == nil)
        #expect(Word(bytesOf: "KEY") == .key && Word(bytesOf: "other") == .other && Word(bytesOf: "none") == nil)
    }

    @Test("A revocation entry has the list's text byte for byte")
    func status() {
        #expect(RevocationSnapshot.Status(text: "REVOKED") == .revoked)
        #expect(RevocationSnapshot.Status(text: "SUSPENDED") == .suspended)
        guard case .other = RevocationSnapshot.Status(text: "REVO\u{212A}ED") else {
            Issue.record("another word counts as REVOKED")
            return
        }
    }
}
