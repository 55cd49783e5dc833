import AssayCore

/// Names and sentences as they come from a plugin: bytes that are checked before they are shown or compared.
enum PluginText {
    /// The longest name, in bytes.
    static let nameLimit = 64
    /// The longest sentence, in bytes.
    static let sentenceLimit = 1024

    /// A name of 1 to 64 bytes of `a`-`z`, `0`-`9` and `_`; also `.` or `-` where `more` has them.
    static func name(
        _ bytes: some Collection<UInt8>, of what: String, more: String = ""
    ) throws(PluginFault) -> String {
        let isName = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_\(more)".utf8.contains(byte)
            }
        }
        guard isName, (1...nameLimit).contains(bytes.count) else {
            throw PluginFault(
                "\(what) is \(shown(bytes)), want 1 to \(nameLimit) of a-z, 0-9, _\(more.map { ", \($0)" }.joined())")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A code of another system: at most 64 printable ASCII characters.
    static func vendorCode(_ text: String) throws(PluginFault) -> String {
        guard text.utf8.count <= nameLimit, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            throw PluginFault(
                "a vendor code is \(shown(Array(text.utf8))), want at most \(nameLimit) printable ASCII characters")
        }
        return text
    }

    /// Text of one line, as every caller, record and terminal may show it: invisible characters are replaced, line ends and tabs by spaces. What
    /// is longer than the limit is cut.
    static func sentence(_ text: String) -> String {
        guard text.utf8.count > sentenceLimit || !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return text }
        var shown = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars {
            let kept: Unicode.Scalar = ["\t", "\n", "\r"].contains(scalar) ? " " : scalar.isInvisible ? "\u{FFFD}" : scalar
            size += Unicode.UTF8.width(kept)
            guard size <= sentenceLimit else { break }
            shown.append(kept)
        }
        return String(shown)
    }

    /// Bytes of a plugin in a message: quoted if they are short ASCII, otherwise their number.
    static func shown(_ bytes: some Collection<UInt8>) -> String {
        guard bytes.count <= nameLimit, bytes.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return "\(bytes.count) bytes" }
        return "'\(String(decoding: bytes, as: UTF8.self))'"
    }
}
