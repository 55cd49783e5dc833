/// Text that leaves the plugin.
enum Text {
    static let sentenceLimit = 1024

    /// A sentence for people: at most 1024 bytes. Control characters, and what stands for bytes that were no UTF-8, become `?`.
    static func sentence(_ text: String) -> String {
        bounded(text, to: sentenceLimit)
    }

    static func bounded(_ text: String, to limit: Int) -> String {
        var safe = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars {
            let shown = isShown(scalar) ? scalar : "?"
            size += UTF8.width(shown)
            guard size <= limit else { break }
            safe.append(shown)
        }
        return String(safe)
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        !(scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || scalar.value == 0xfffd)
    }

    /// `[a-z0-9_]{1,64}`
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || isDigit($0) || $0 == 0x5f }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
