import AssayCore
import Testing

@Suite("Visible text")
struct VisibleTextTests {
    @Test("Control, format, private, unassigned and default-ignorable characters are invisible, and no other")
    func invisible() {
        let hidden =
            "\u{0}\u{9}\n\u{1B}\u{7F}\u{80}\u{85}\u{9B}\u{AD}\u{34F}\u{115F}\u{180E}\u{200B}\u{200F}\u{2028}\u{2029}\u{202E}\u{2066}\u{2069}\u{3164}"
            + "\u{378}\u{E000}\u{FE0F}\u{FEFF}\u{FFA0}\u{FFF9}\u{FFFF}\u{E0001}\u{E0100}\u{F0000}\u{10FFFF}"
        for scalar in hidden.unicodeScalars { #expect(scalar.isInvisible, "\(scalar.codePoint)") }
        for scalar in " ~aZ0é\u{A0}\u{301}漢字עברית\u{1F4F7}\u{FFFD}".unicodeScalars {
            #expect(!scalar.isInvisible, "\(scalar.codePoint)")
        }
    }

    @Test("Invisible characters are replaced one for one, and the first is named with its place")
    func shown() {
        #expect("a\u{9B}2Jb\u{202E}".visible == "a\u{FFFD}2Jb\u{FFFD}" && "é 漢".visible == "é 漢")
        #expect("ab\u{200B}".firstInvisible?.place == 3 && "ab".firstInvisible == nil)
        #expect("ab\u{200B}".firstInvisible?.scalar.codePoint == "U+200B ZERO WIDTH SPACE")
    }

    @Test("One byte that is not visible is found at every place of texts of every length", arguments: 0...20)
    func places(_ length: Int) {
        let text = [UInt8](repeating: UInt8(ascii: "~"), count: length)
        #expect(text.withUnsafeBytes { $0.isVisibleASCII(from: 0x21) })
        for place in text.indices {
            for byte: UInt8 in [0, 0x1F, 0x7F, 0x80, 0xA0, 0xFF] {
                var changed = text
                changed[place] = byte
                #expect(!changed.withUnsafeBytes { $0.isVisibleASCII() }, "\(byte) at \(place)")
            }
            var spaced = text
            spaced[place] = 0x20
            #expect(spaced.withUnsafeBytes { $0.isVisibleASCII() && !$0.isVisibleASCII(from: 0x21) })
        }
    }
}
